// Numbers words in the order in which they first come, as fast as memory allows.
//
// A look-up in a table of millions of words is a cache miss, and those bound the build; so words
// are looked up in batches, with all their slots under way at once. Words of up to eight bytes,
// nine in ten of running text, are told apart by the slot alone.
#pragma once

#include "hash.hpp"
#include "tokenizer.hpp"

namespace averment {

// The hash of each word.
void hash_all(const Words& words, std::vector<uint64_t>& hashes);

class Vocabulary {
 public:
  Vocabulary();

  // Writes the number of each word to `ids`; `hashes` are those of `hash_all`.
  void number(const Words& words, const std::vector<uint64_t>& hashes, uint32_t* ids);

  size_t size() const { return offsets_.size(); }
  std::string_view operator[](uint32_t id) const { return spelling(offsets_[id]); }

 private:
  struct Slot {
    uint64_t key;     // the bytes of a short word, the hash of a long one
    uint32_t id;      // kFree where there is none
    uint32_t offset;  // of the spelling of a long word, 0 for a short one
  };

  // Spellings stand behind their length, so that both come in one cache line.
  std::string_view spelling(uint32_t offset) const {
    const Byte* at = bytes_.data() + offset;
    return {reinterpret_cast<const char*>(at), load<uint32_t>(at - sizeof(uint32_t))};
  }

  uint32_t find_or_add(std::string_view word, uint64_t hash);
  uint32_t add(std::string_view word, uint64_t hash);
  void grow();
  Slot& free_slot(uint64_t hash);

  std::vector<Slot> slots_;  // a power of two, at most half full
  size_t mask_;
  Bytes bytes_;  // of all words, with padding behind
  std::vector<uint32_t> offsets_;
  std::vector<uint64_t> hashes_;
};

}  // namespace averment
