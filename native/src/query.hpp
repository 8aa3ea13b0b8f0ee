// Many questions at once: each distinct phrase is cut into words and looked up once.
#pragma once

#include <deque>
#include <functional>
#include <unordered_map>

#include "window.hpp"

namespace averment {

// The phrases of a batch, numbered. Texts are views: they must outlive the batch.
class PhraseTable {
 public:
  // A byte that no UTF-8 holds: it joins the forms of a set.
  static constexpr char kOr = '\xFF';

  // The number of a phrase, given as UTF-8 in NFC.
  uint32_t number(std::string_view text);
  // The number of a set of forms. QueryError if it is empty.
  uint32_t number_of_set(std::vector<std::string_view> forms);

  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::deque<std::string> joined_;
};

// Looks all phrases up. PhraseError if one has no word.
std::vector<Phrase> resolve(const Segment& segment, const PhraseTable& table);

using PhrasePair = std::pair<uint32_t, uint32_t>;  // numbers in a PhraseTable

// In the order of the table.
std::vector<PhraseCount> count_all(const Segment& segment, const PhraseTable& table,
                                   unsigned n_threads);

// Calls ask(i, a, b) for each pair `i`, each once, on up to so many threads. The first error wins.
using Ask = std::function<void(size_t i, const Phrase& a, const Phrase& b)>;
void ask_all(const Segment& segment, const PhraseTable& table, const std::vector<PhrasePair>& pairs,
             unsigned n_threads, const Ask& ask);

}  // namespace averment
