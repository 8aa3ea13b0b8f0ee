#include "postings.hpp"

namespace averment {
namespace {

// A record begins with one byte: (count - 1) + 4 * (documents - 1) where there are few positions,
// else kMany and what else is there.
constexpr Byte kMany = 16, kHasRank = 1, kHasBitmap = 2;

constexpr size_t kSkipBytes = 8;

uint32_t blocks_of(uint32_t count) { return (count + kBlock - 1) / kBlock; }

// The parts of a list in blocks.
struct Blocks {
  explicit Blocks(const Postings& postings) : n(blocks_of(postings.count)), data(postings.blocks) {
    if (n > 1) skips = data.take(kSkipBytes * n).at;
  }
  // Only where there are skips.
  uint32_t last(uint32_t block) const { return load<uint32_t>(skips + kSkipBytes * block); }
  uint32_t offset(uint32_t block) const { return load<uint32_t>(skips + kSkipBytes * block + 4); }
  Reader from(uint32_t block) const {
    Reader rest = data;
    rest.take(offset(block));
    return rest;
  }
  Reader first(uint32_t n_blocks) const {
    Reader all = data;
    return n_blocks < n ? all.take(offset(n_blocks)) : all;
  }

  uint32_t n;
  Reader data;
  const Byte* skips = nullptr;
};

}  // namespace

void append_record(const ListFacts& facts, const uint32_t* positions, Bytes& out) {
  if (facts.count <= kFew) {
    out.push_back(static_cast<Byte>((facts.count - 1) | (facts.documents - 1) << 2));
    for (uint32_t i = 0; i < facts.count; ++i) {
      append_varint(out, positions[i] - (i ? positions[i - 1] + 1 : 0));
    }
    return;
  }
  const bool ranked = facts.frequent_rank != kNone, mapped = facts.bitmap != kNone;
  out.push_back(static_cast<Byte>(kMany | (ranked ? kHasRank : 0) | (mapped ? kHasBitmap : 0)));
  append_varint(out, facts.count);
  append_varint(out, facts.count - facts.documents);
  if (ranked) append_varint(out, facts.frequent_rank);
  if (mapped) append_varint(out, facts.bitmap);
}

Postings read_record(Reader& record) {
  Postings postings;
  const Byte kind = record.take(1).at[0];
  if (kind < kMany) {
    postings.count = (kind & 3) + 1;
    postings.documents = (kind >> 2) + 1;
    uint64_t next = 0;
    for (uint32_t i = 0; i < postings.count; ++i, ++next) {
      next += record.varint32();
      if (next > INT32_MAX) throw FormatError("a position is too large");
      postings.few[i] = static_cast<uint32_t>(next);
    }
  } else {
    postings.count = record.varint32();
    const uint32_t repeated = record.varint32();
    if (kind > (kMany | kHasRank | kHasBitmap) || repeated >= postings.count) {
      throw FormatError("a record of the dictionary makes no sense");
    }
    postings.documents = postings.count - repeated;
    if (kind & kHasRank) postings.frequent_rank = record.varint32();
    if (kind & kHasBitmap) postings.bitmap = record.varint32();
  }
  if (postings.documents > postings.count) {
    throw FormatError("a record of the dictionary makes no sense");
  }
  return postings;
}

void append_blocks(const uint32_t* positions, uint32_t count, Bytes& out, const Postings* head) {
  const uint32_t n_blocks = blocks_of(count), n_copied = head ? copied_blocks(*head) : 0;
  const size_t skips = out.size();
  if (n_blocks > 1) out.resize(skips + kSkipBytes * n_blocks);
  const size_t data = out.size();
  uint32_t previous = kNone;
  if (n_copied) {
    const Blocks old(*head);
    const Reader copied = old.first(n_copied);
    std::memcpy(out.data() + skips, old.skips, kSkipBytes * n_copied);
    out.insert(out.end(), copied.at, copied.end);
    previous = old.last(n_copied - 1);
  }
  for (uint32_t block = n_copied; block < n_blocks; ++block) {
    const uint32_t offset = static_cast<uint32_t>(out.size() - data);
    const uint32_t first = block * kBlock, n = std::min(kBlock, count - first);
    pack_block(positions + first, n, previous, out);
    previous = positions[first + n - 1];
    if (n_blocks > 1) {
      std::memcpy(out.data() + skips + kSkipBytes * block, &previous, sizeof previous);
      std::memcpy(out.data() + skips + kSkipBytes * block + 4, &offset, sizeof offset);
    }
  }
}

void read_positions(const Postings& postings, uint32_t first_block, uint32_t* out) {
  const uint32_t n = postings.count - first_block * kBlock;
  if (postings.count <= kFew) {
    std::copy_n(postings.few, n, out);
  } else {
    const Blocks blocks(postings);
    Reader block = blocks.data;
    uint32_t previous = first_block ? blocks.last(first_block - 1) : kNone;
    for (uint32_t done = 0; done < n; done += kBlock) {
      if (blocks.n > 1) block = blocks.from(first_block + done / kBlock);
      unpack_block(block, std::min(kBlock, n - done), previous, out + done);
      previous = out[std::min(n, done + kBlock) - 1];
    }
  }
  bool ascending = true;
  for (uint32_t i = 1; i < n; ++i) ascending &= out[i - 1] < out[i];
  if (!ascending) throw FormatError("the positions of a list do not ascend");
}

ListCursor::ListCursor(const Postings& postings) : count_(postings.count) {
  if (count_ <= kFew) {
    n_ = count_;
    std::copy_n(postings.few, n_, buffer_);
    fill_up();
    return;
  }
  n_blocks_ = (count_ + kBlock - 1) / kBlock;
  data_ = postings.blocks;
  fill_up();
  if (n_blocks_ > 1) skips_ = data_.take(kSkipBytes * n_blocks_).at;
}

uint64_t ListCursor::next_block(uint64_t target) {
  uint32_t found = block_;
  if (n_blocks_ > 1 && found < n_blocks_ && last_of(found) < target) {
    // Gallop to a block that ends at or behind the target, then halve the way back.
    uint32_t low = found, step = 1;
    while (low + step < n_blocks_ && last_of(low + step) < target) low += step, step *= 2;
    found = std::min(low + step, n_blocks_);
    while (low + 1 < found) {
      const uint32_t middle = low + (found - low) / 2;
      (last_of(middle) < target ? low : found) = middle;
    }
  }
  if (found >= n_blocks_) {
    block_ = n_blocks_;
    at_ = n_ = 0;
    fill_up();
    return kEnd;
  }
  Reader block = data_;
  uint32_t previous = kNone;
  if (n_blocks_ > 1) {
    block.take(load<uint32_t>(skips_ + kSkipBytes * found + 4));
    if (found) previous = last_of(found - 1);
  }
  const uint32_t n = std::min(kBlock, count_ - found * kBlock);
  unpack_block(block, n, previous, buffer_);
  block_ = found + 1;
  at_ = 0;
  n_ = n;
  first_rank_ = found * kBlock;
  fill_up();
  if (buffer_[n_ - 1] >= target) return search(target);
  // Only a list of one block has no skip to say so beforehand.
  if (n_blocks_ > 1) throw FormatError("a list of positions does not fit its skips");
  at_ = n_ = 0;
  fill_up();
  return kEnd;
}

void ListCursor::fill_up() { std::fill_n(buffer_ + n_, 2 * kStep, kBeyond); }

}  // namespace averment
