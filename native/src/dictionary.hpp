// From a key (a word, or a pair of frequent words) to its list of positions.
//
// Entries are ordered by the hash of their key, and buckets of about four are addressed by its
// leading bits: a look-up touches one offset and one or two cache lines, where front-coded sorted
// blocks need a second structure to be as fast and are no smaller with it. The order is the same in
// every segment, so that segments can be merged in one pass.
#pragma once

#include <optional>

#include "hash.hpp"
#include "postings.hpp"

namespace averment {

// Spells the key of a pair of frequent words by their ranks, with the padding for `hash_word`.
class PairKey {
 public:
  std::string_view of(uint32_t first_rank, uint32_t second_rank) {
    const uint32_t both = first_rank | second_rank << 16;
    std::memcpy(bytes_, &both, sizeof both);
    return {bytes_, sizeof both};
  }

 private:
  char bytes_[sizeof(uint32_t) + 8] = {};
};

// Takes entries in the order of (hash, key) and makes the two parts of a dictionary.
class DictionaryWriter {
 public:
  explicit DictionaryWriter(size_t n_keys);

  // `n_block_bytes` of the list section belong to this key, behind those of the one before. The key
  // must have the padding that `hash_word` asks for.
  void add(std::string_view key, Reader record, uint64_t n_block_bytes);
  void finish();

  const std::vector<uint32_t>& offsets() const { return offsets_; }
  const Bytes& entries() const { return entries_; }

 private:
  void open_bucket(uint32_t bucket);

  uint32_t n_buckets_;
  std::vector<uint32_t> offsets_;  // of each bucket in `entries_`, and the end
  Bytes entries_;
  uint64_t list_offset_ = 0;
};

// Reads a dictionary in place.
class Dictionary {
 public:
  Dictionary() = default;
  // `offsets` are n_buckets + 1 numbers, checked to ascend within `entries` by the caller.
  Dictionary(const uint32_t* offsets, uint32_t n_buckets, Reader entries, Reader lists)
      : offsets_(offsets), n_buckets_(n_buckets), entries_(entries), lists_(lists) {}

  // The key must have the padding that `hash_word` asks for.
  std::optional<Postings> find(std::string_view key) const;

  // Steps through the entries of a bucket.
  class Bucket {
   public:
    Bucket(const Dictionary& dictionary, uint32_t bucket);
    bool next();
    std::string_view key() const { return key_; }
    Postings postings() const;

   private:
    Reader rest_, lists_, record_{nullptr, nullptr}, blocks_{nullptr, nullptr};
    std::string_view key_;
  };

  // Calls visit(Bucket) at every entry, in the order of the hashes.
  template <class Visit>
  void for_each(Visit visit) const {
    for (uint32_t bucket = 0; bucket < n_buckets_; ++bucket) {
      for (Bucket at(*this, bucket); at.next();) visit(at);
    }
  }

 private:
  const uint32_t* offsets_ = nullptr;
  uint32_t n_buckets_ = 0;
  Reader entries_{nullptr, nullptr}, lists_{nullptr, nullptr};
};

}  // namespace averment
