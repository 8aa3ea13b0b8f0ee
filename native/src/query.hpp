// Many questions at once: each distinct phrase is cut into words and looked up once.
#pragma once

#include <unordered_map>

#include "window.hpp"

namespace averment {

// The phrases of a batch, numbered. Texts are views: they must outlive the batch.
class PhraseTable {
 public:
  // The number of a phrase, given as UTF-8 in NFC.
  uint32_t number(std::string_view text);

  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

// Looks all phrases up. QueryError if one has no word.
std::vector<Phrase> resolve(const Segment& segment, const PhraseTable& table);

using PhrasePair = std::pair<uint32_t, uint32_t>;  // numbers in a PhraseTable

// In the order of the table.
std::vector<PhraseCount> count_all(const Scope& scope, const PhraseTable& table,
                                   unsigned n_threads);

// In the order of the pairs. Where there are many, they are shared between so many threads.
std::vector<char> exists_all(const Scope& scope, const PhraseTable& table,
                             const std::vector<PhrasePair>& pairs, uint64_t window_words,
                             unsigned n_threads);
std::vector<uint64_t> documents_all(const Scope& scope, const PhraseTable& table,
                                    const std::vector<PhrasePair>& pairs, uint64_t window_words,
                                    unsigned n_threads);
std::vector<Cooccurrence> cooccurrence_all(const Scope& scope, const PhraseTable& table,
                                           const std::vector<PhrasePair>& pairs,
                                           uint64_t window_words, unsigned n_threads);

}  // namespace averment
