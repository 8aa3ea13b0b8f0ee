#include "inversion.hpp"

#include "hash.hpp"

namespace averment {

void sort_by_hash(std::vector<uint32_t>& numbers, const KeyOf& key_of) {
  std::vector<std::pair<uint64_t, uint32_t>> hashed;
  hashed.reserve(numbers.size());
  for (const uint32_t number : numbers) hashed.emplace_back(hash_word(key_of(number)), number);
  std::sort(hashed.begin(), hashed.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first || a.second == b.second) return a.first < b.first;
    const int compared = std::string(key_of(a.second)).compare(key_of(b.second));
    return compared ? compared < 0 : a.second < b.second;
  });
  for (size_t i = 0; i < hashed.size(); ++i) numbers[i] = hashed[i].second;
}

InvertedLists::InvertedLists(Inverted inverted, KeyOf key_of)
    : inverted_(std::move(inverted)), key_of_(std::move(key_of)) {
  for (uint32_t key = 0; key < inverted_.documents.size(); ++key) {
    if (inverted_.count(key)) order_.push_back(key);
  }
  sort_by_hash(order_, key_of_);
  for (const uint32_t key : order_)
    facts.push_back({inverted_.count(key), inverted_.documents[key]});
}

Content InvertedLists::content(size_t list, bool, std::vector<uint32_t>&) const {
  constexpr size_t kAhead = 8;
  const size_t n = order_.size();
  if (list + 2 * kAhead < n) __builtin_prefetch(&inverted_.starts[order_[list + 2 * kAhead]]);
  if (list + kAhead < n) __builtin_prefetch(inverted_.of(order_[list + kAhead]));
  return {inverted_.of(order_[list]), nullptr};
}

}  // namespace averment
