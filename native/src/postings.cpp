#include "postings.hpp"

namespace averment {
namespace {

// A record begins with one byte: (count - 1) + 4 * (documents - 1) where there are few positions,
// else kMany and what else is there.
constexpr Byte kMany = 16, kHasRank = 1, kHasBitmap = 2;

uint32_t blocks_of(uint32_t count) { return (count + kBlock - 1) / kBlock; }

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
  if (n_blocks > 1) out.resize(skips + Blocks::kSkipBytes * n_blocks);
  const size_t data = out.size();
  uint32_t previous = kNone;
  if (n_copied) {
    const Blocks old(*head);
    const auto [table, copied] = old.first(n_copied);
    std::memcpy(out.data() + skips, table.at, table.left());
    out.insert(out.end(), copied.at, copied.end);
    previous = old.last(n_copied - 1);
  }
  for (uint32_t block = n_copied; block < n_blocks; ++block) {
    const uint32_t offset = static_cast<uint32_t>(out.size() - data);
    const uint32_t first = block * kBlock, n = std::min(kBlock, count - first);
    pack_block(positions + first, n, previous, out);
    previous = positions[first + n - 1];
    if (n_blocks > 1) {
      std::memcpy(out.data() + skips + Blocks::kSkipBytes * block, &previous, sizeof previous);
      std::memcpy(out.data() + skips + Blocks::kSkipBytes * block + 4, &offset, sizeof offset);
    }
  }
}

void read_positions(const Postings& postings, uint32_t first_block, uint32_t* out) {
  const uint32_t n = postings.count - first_block * kBlock;
  if (postings.count <= kFew) {
    std::copy_n(postings.few, n, out);
  } else {
    const Blocks blocks(postings);
    uint32_t* end = out;
    for (uint32_t block = first_block; block < blocks.size(); ++block) {
      end += blocks.read(block, end);
    }
  }
  bool ascending = true;
  for (uint32_t i = 1; i < n; ++i) ascending &= out[i - 1] < out[i];
  if (!ascending) throw FormatError("the positions of a list do not ascend");
}

Blocks::Blocks(const Postings& postings)
    : count_(postings.count), n_(blocks_of(postings.count)), data_(postings.blocks) {
  if (n_ > 1) skips_ = data_.take(kSkipBytes * n_).at;
}

uint32_t Blocks::read(uint32_t block, uint32_t* out) const {
  Reader bytes = data_;
  if (n_ > 1) bytes.take(offset(block));
  const uint32_t n = std::min(kBlock, count_ - block * kBlock);
  unpack_block(bytes, n, block ? last(block - 1) : kNone, out);
  return n;
}

std::pair<Reader, Reader> Blocks::first(uint32_t n_blocks) const {
  Reader bytes = data_;
  if (n_blocks < n_) bytes = bytes.take(offset(n_blocks));
  return {{skips_, skips_ + kSkipBytes * n_blocks}, bytes};
}

ListCursor::ListCursor(const Postings& postings) : count_(postings.count) {
  if (count_ <= kFew) {
    n_ = count_;
    std::copy_n(postings.few, n_, buffer_);
  } else {
    blocks_ = Blocks(postings);
  }
  fill_up();
}

uint64_t ListCursor::next_block(uint64_t target) {
  const bool has_skips = blocks_.size() > 1;
  if (has_skips && block_ < blocks_.size() && blocks_.last(block_) < target) {
    const auto is_before = [&](uint32_t block) { return blocks_.last(block) < target; };
    block_ = gallop(block_, blocks_.size(), is_before);
  }
  if (block_ >= blocks_.size()) return end();
  n_ = blocks_.read(block_, buffer_);
  at_ = 0;
  first_rank_ = block_++ * kBlock;
  fill_up();
  if (buffer_[n_ - 1] >= target) return search(target);
  // Only a list of one block has no skip to say so beforehand.
  if (has_skips) throw FormatError("a list of positions does not fit its skips");
  return end();
}

uint64_t ListCursor::end() {
  at_ = n_ = 0;
  fill_up();
  return kEnd;
}

void ListCursor::fill_up() { std::fill_n(buffer_ + n_, 2 * kStep, kBeyond); }

}  // namespace averment
