#include "vocabulary.hpp"

#include <algorithm>

namespace averment {
namespace {

constexpr uint32_t kFree = UINT32_MAX;
constexpr size_t kFirstSlots = 1 << 12;
constexpr size_t kBatch = 64;
constexpr size_t kShort = 8;

// A short word has no zero byte, so its key says where it ends.
uint64_t slot_key(std::string_view word, uint64_t hash) {
  return word.size() <= kShort ? load_prefix(word.data(), word.size()) : hash;
}

}  // namespace

Vocabulary::Vocabulary()
    : slots_(kFirstSlots, Slot{0, kFree, 0}), mask_(kFirstSlots - 1), bytes_(Words::kPadding) {}

void hash_all(const Words& words, std::vector<uint64_t>& hashes) {
  hashes.resize(words.size());
  for (size_t i = 0; i < words.size(); ++i) hashes[i] = hash_word(words[i]);
}

void Vocabulary::number(const Words& words, const std::vector<uint64_t>& hashes, uint32_t* ids) {
  for (size_t start = 0; start < words.size(); start += kBatch) {
    const size_t end = std::min(words.size(), start + kBatch);
    for (size_t i = start; i < end; ++i) __builtin_prefetch(&slots_[hashes[i] & mask_]);
    for (size_t i = start; i < end; ++i) {
      __builtin_prefetch(bytes_.data() + slots_[hashes[i] & mask_].offset);
    }
    for (size_t i = start; i < end; ++i) ids[i] = find_or_add(words[i], hashes[i]);
  }
}

uint32_t Vocabulary::find_or_add(std::string_view word, uint64_t hash) {
  const uint64_t key = slot_key(word, hash);
  const bool is_short = word.size() <= kShort;
  for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.id == kFree) return add(word, hash);
    if (slot.key != key) continue;
    if (is_short ? slot.offset == 0 : slot.offset && spelling(slot.offset) == word) return slot.id;
  }
}

uint32_t Vocabulary::add(std::string_view word, uint64_t hash) {
  const size_t offset = bytes_.size() - Words::kPadding + sizeof(uint32_t);
  if (size() >= kFree || offset + word.size() > UINT32_MAX) {
    throw QueryError("a segment holds too many different words");
  }
  if (2 * (size() + 1) > slots_.size()) grow();
  const uint32_t id = static_cast<uint32_t>(size());
  const uint32_t length = static_cast<uint32_t>(word.size());
  bytes_.resize(bytes_.size() + sizeof length + length);
  std::memcpy(bytes_.data() + offset - sizeof length, &length, sizeof length);
  std::memcpy(bytes_.data() + offset, word.data(), length);
  offsets_.push_back(static_cast<uint32_t>(offset));
  hashes_.push_back(hash);
  free_slot(hash) = {slot_key(word, hash), id, length <= kShort ? 0 : offsets_.back()};
  return id;
}

void Vocabulary::grow() {
  std::vector<Slot> old(2 * slots_.size(), Slot{0, kFree, 0});
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id != kFree) free_slot(hashes_[slot.id]) = slot;
  }
}

Vocabulary::Slot& Vocabulary::free_slot(uint64_t hash) {
  size_t at = hash & mask_;
  while (slots_[at].id != kFree) at = (at + 1) & mask_;
  return slots_[at];
}

}  // namespace averment
