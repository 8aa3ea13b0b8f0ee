#include "vocabulary.hpp"

#include <algorithm>

namespace averment {
namespace {

constexpr uint32_t kFree = UINT32_MAX;
constexpr size_t kFirstSlots = 1 << 12;
constexpr size_t kBatch = 64;
constexpr size_t kShort = 8;

uint64_t slot_key(std::string_view word, uint64_t hash) {
  return word.size() <= kShort ? load_prefix(word.data(), word.size()) : hash;
}

}  // namespace

Vocabulary::Vocabulary()
    : slots_(kFirstSlots, Slot{0, kFree, 0}), mask_(kFirstSlots - 1), bytes_(Words::kPadding) {}

void Vocabulary::number(const Words& words, std::vector<uint32_t>& ids) {
  uint64_t hashes[kBatch];
  for (size_t start = 0; start < words.size(); start += kBatch) {
    const size_t n = std::min(kBatch, words.size() - start);
    for (size_t i = 0; i < n; ++i) {
      hashes[i] = hash_word(words[start + i]);
      __builtin_prefetch(&slots_[hashes[i] & mask_]);
    }
    for (size_t i = 0; i < n; ++i) ids.push_back(find_or_add(words[start + i], hashes[i]));
  }
}

uint32_t Vocabulary::find_or_add(std::string_view word, uint64_t hash) {
  const uint64_t key = slot_key(word, hash);
  for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.id == kFree) return add(word, hash);
    if (slot.key == key && slot.size == word.size() &&
        (word.size() <= kShort || (*this)[slot.id] == word)) {
      return slot.id;
    }
  }
}

uint32_t Vocabulary::add(std::string_view word, uint64_t hash) {
  if (size() >= kFree || word.size() > UINT32_MAX) {
    throw QueryError("a segment holds too many different words");
  }
  if (2 * (size() + 1) > slots_.size()) grow();
  const uint32_t id = static_cast<uint32_t>(size());
  const size_t end = bytes_.size() - Words::kPadding;
  bytes_.insert(bytes_.end() - Words::kPadding, word.begin(), word.end());
  ends_.push_back(end + word.size());
  hashes_.push_back(hash);
  size_t at = hash & mask_;
  while (slots_[at].id != kFree) at = (at + 1) & mask_;
  slots_[at] = {slot_key(word, hash), id, static_cast<uint32_t>(word.size())};
  return id;
}

void Vocabulary::grow() {
  std::vector<Slot> old(2 * slots_.size(), Slot{0, kFree, 0});
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kFree) continue;
    size_t at = hashes_[slot.id] & mask_;
    while (slots_[at].id != kFree) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

}  // namespace averment
