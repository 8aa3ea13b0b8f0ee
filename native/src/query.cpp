#include "query.hpp"

#include <algorithm>
#include <numeric>

#include "parallel.hpp"

namespace averment {
namespace {

constexpr size_t kFewPhrases = 4;        // up to here a scan is faster than a hash map
constexpr size_t kQuestionsAtOnce = 16;  // that a thread takes

constexpr size_t kCommon = 16;               // uses of a phrase from which on it is condensed
constexpr uint32_t kMaxCondensed = 1 << 17;  // starts, which bounds the memory for it

// Condenses the phrases that so many pairs ask about that it pays.
void condense_common(const Segment& segment, const std::vector<PhrasePair>& pairs,
                     std::vector<Phrase>& phrases) {
  if (pairs.size() < kCommon) return;
  std::vector<size_t> uses(phrases.size());
  for (const auto& [a, b] : pairs) ++uses[a], ++uses[b];
  for (size_t i = 0; i < phrases.size(); ++i) {
    const bool pays = uses[i] >= kCommon && phrases[i].parts.size() != 1;
    if (pays && phrases[i].at_most() <= kMaxCondensed) condense(segment, phrases[i]);
  }
}

Phrase resolve_form(const Segment& segment, std::string_view text, Words& words) {
  words.clear();
  tokenize_all(text, segment.fold_accents(), words);
  if (!words.size()) throw PhraseError(text);
  return find_phrase(segment, words);
}

Phrase resolve_set(const Segment& segment, std::string_view text, Words& words) {
  std::vector<Phrase> forms;
  for (size_t start = 0, end = 0; end != text.npos; start = end + 1) {
    end = text.find(PhraseTable::kOr, start);
    forms.push_back(resolve_form(segment, text.substr(start, end - start), words));
  }
  return set_of(std::move(forms));
}

}  // namespace

uint32_t PhraseTable::number(std::string_view text) {
  if (texts_.size() <= kFewPhrases) {
    const auto found = std::find(texts_.begin(), texts_.end(), text);
    if (found != texts_.end()) return static_cast<uint32_t>(found - texts_.begin());
  } else {
    if (numbers_.empty()) {
      for (uint32_t i = 0; i < texts_.size(); ++i) numbers_.emplace(texts_[i], i);
    }
    const auto [found, is_new] = numbers_.emplace(text, static_cast<uint32_t>(texts_.size()));
    if (!is_new) return found->second;
  }
  texts_.push_back(text);
  return static_cast<uint32_t>(texts_.size() - 1);
}

uint32_t PhraseTable::number_of_set(std::vector<std::string_view> forms) {
  if (forms.empty()) throw QueryError("a set of forms is empty");
  std::sort(forms.begin(), forms.end());
  std::string& set = joined_.emplace_back(forms[0]);
  for (size_t i = 1; i < forms.size(); ++i) set.append(1, kOr).append(forms[i]);
  const size_t n_known = texts_.size();
  const uint32_t found = number(set);
  if (texts_.size() == n_known) joined_.pop_back();
  return found;
}

std::vector<Phrase> resolve(const Segment& segment, const PhraseTable& table) {
  std::vector<Phrase> phrases;
  phrases.reserve(table.texts().size());
  Words words;
  for (const std::string_view text : table.texts()) {
    const bool is_set = text.find(PhraseTable::kOr) != text.npos;
    phrases.push_back((is_set ? resolve_set : resolve_form)(segment, text, words));
  }
  return phrases;
}

std::vector<PhraseCount> count_all(const Segment& segment, const PhraseTable& table,
                                   unsigned n_threads) {
  const std::vector<Phrase> phrases = resolve(segment, table);
  std::vector<PhraseCount> counts(phrases.size());
  in_parallel(phrases.size(), kQuestionsAtOnce, n_threads,
              [&](size_t i, unsigned) { counts[i] = count_phrase(segment, phrases[i]); });
  return counts;
}

void ask_all(const Segment& segment, const PhraseTable& table, const std::vector<PhrasePair>& pairs,
             unsigned n_threads, const Ask& ask) {
  std::vector<Phrase> phrases = resolve(segment, table);
  condense_common(segment, pairs, phrases);
  // Neighbours find their lists in the cache.
  std::vector<uint32_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t i, uint32_t j) { return pairs[i] < pairs[j]; });
  in_parallel(order.size(), kQuestionsAtOnce, n_threads, [&](size_t at, unsigned) {
    const uint32_t i = order[at];
    ask(i, phrases[pairs[i].first], phrases[pairs[i].second]);
  });
}

}  // namespace averment
