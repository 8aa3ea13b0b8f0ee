#include "dictionary.hpp"

namespace averment {
namespace {

// Numbers buckets of equal shares of the hashes, in their order.
uint32_t bucket_of(uint64_t hash, uint32_t n_buckets) {
  return static_cast<uint32_t>((hash >> 32) * n_buckets >> 32);
}

}  // namespace

// A bucket is: the offset of its first list, then for each entry the bytes of its list, the bytes
// of its body, and the body: key length, key, record.

DictionaryWriter::DictionaryWriter(size_t n_keys)
    : n_buckets_(static_cast<uint32_t>(n_keys / 4 + 1)) {
  if (n_keys > UINT32_MAX) throw QueryError("a segment holds too many different words");
}

void DictionaryWriter::open_bucket(uint32_t bucket) {
  while (offsets_.size() <= bucket) {
    if (entries_.size() > UINT32_MAX) throw QueryError("the words of a segment are too long");
    offsets_.push_back(static_cast<uint32_t>(entries_.size()));
  }
}

void DictionaryWriter::add(std::string_view key, Reader record, uint64_t n_block_bytes) {
  const uint32_t bucket = bucket_of(hash_word(key), n_buckets_);
  if (offsets_.size() <= bucket) {
    open_bucket(bucket);
    append_varint(entries_, list_offset_);
  }
  append_varint(entries_, n_block_bytes);
  append_varint(entries_, varint_bytes(key.size()) + key.size() + record.left());
  append_varint(entries_, key.size());
  entries_.insert(entries_.end(), key.begin(), key.end());
  entries_.insert(entries_.end(), record.at, record.end);
  list_offset_ += n_block_bytes;
}

void DictionaryWriter::finish() { open_bucket(n_buckets_); }

Dictionary::Bucket::Bucket(const Dictionary& dictionary, uint32_t bucket)
    : rest_{dictionary.entries_.at + dictionary.offsets_[bucket],
            dictionary.entries_.at + dictionary.offsets_[bucket + 1]},
      lists_(dictionary.lists_) {
  if (rest_.left()) lists_.take(rest_.varint());
}

bool Dictionary::Bucket::next() {
  if (!rest_.left()) return false;
  blocks_ = lists_.take(rest_.varint());
  record_ = rest_.take(rest_.varint());
  const Reader key = record_.take(record_.varint());
  key_ = {reinterpret_cast<const char*>(key.at), key.left()};
  return true;
}

Postings Dictionary::Bucket::postings() const {
  Reader record = record_;
  Postings postings = read_record(record);
  postings.blocks = blocks_;
  return postings;
}

std::optional<Postings> Dictionary::find(std::string_view key) const {
  if (!n_buckets_) return std::nullopt;
  for (Bucket at(*this, bucket_of(hash_word(key), n_buckets_)); at.next();) {
    if (at.key() == key) return at.postings();
  }
  return std::nullopt;
}

}  // namespace averment
