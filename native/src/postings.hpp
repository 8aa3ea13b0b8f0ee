// The list of positions of a word or of a pair of words, and a cursor that skips through it.
//
// Lists of up to four positions stand in the dictionary itself. Longer ones are blocks of 128;
// where there is more than one, a table of (last position, offset of the block) comes first.
#pragma once

#include <algorithm>

#include "packing.hpp"

namespace averment {

// The first number in low + 1 … n that is not before what is looked for, where `low` is: by steps
// that double, and then halve.
template <class IsBefore>
uint32_t gallop(uint32_t low, uint32_t n, IsBefore is_before) {
  uint32_t step = 1;
  while (low + step < n && is_before(low + step)) low += step, step *= 2;
  uint32_t high = std::min(low + step, n);
  while (low + 1 < high) {
    const uint32_t middle = low + (high - low) / 2;
    (is_before(middle) ? low : high) = middle;
  }
  return high;
}

constexpr uint32_t kFew = 4;
constexpr uint32_t kNone = UINT32_MAX;

// Positions are 32 bits on disk and 64 bits in questions, so that no sum can wrap around.
constexpr uint64_t kEnd = UINT64_MAX;

// What the dictionary says about a list.
struct ListFacts {
  uint32_t count = 0;
  uint32_t documents = 0;
  uint32_t frequent_rank = kNone;  // number of a frequent word, from which pairs are keyed
  uint32_t bitmap = kNone;         // number of the bitmap of its documents
};

// A list as the dictionary gives it.
struct Postings : ListFacts {
  uint32_t few[kFew] = {};          // the positions, where count <= kFew
  Reader blocks{nullptr, nullptr};  // otherwise
};

// Appends the record of a list; its positions are needed where there are few.
void append_record(const ListFacts& facts, const uint32_t* positions, Bytes& out);
// The opposite; `blocks` stays empty.
Postings read_record(Reader& record);

// Appends the blocks of a list of more than kFew positions. The full blocks of `head`, a list that
// it begins with, are copied; the positions in them may be anything.
void append_blocks(const uint32_t* positions, uint32_t count, Bytes& out,
                   const Postings* head = nullptr);
// How many blocks are copied of a list; only one with skips says where they end.
inline uint32_t copied_blocks(const Postings& head) {
  return head.count > kBlock ? head.count / kBlock : 0;
}
// Writes the positions from that of a block on to `out`, which has room for kBlock more; the blocks
// before are not decoded. FormatError unless the positions ascend.
void read_positions(const Postings& postings, uint32_t first_block, uint32_t* out);

// The blocks of a list of more than kFew positions.
class Blocks {
 public:
  Blocks() = default;
  explicit Blocks(const Postings& postings);

  uint32_t size() const { return n_; }
  // The last position of a block, where there are several blocks.
  uint32_t last(uint32_t block) const { return load<uint32_t>(skips_ + kSkipBytes * block); }
  // Writes the positions of a block to `out`, which has room for kBlock; returns how many.
  uint32_t read(uint32_t block, uint32_t* out) const;
  // The bytes of the first blocks, and their part of the table; there are several blocks.
  std::pair<Reader, Reader> first(uint32_t n_blocks) const;

  static constexpr size_t kSkipBytes = 8;

 private:
  uint32_t offset(uint32_t block) const { return load<uint32_t>(skips_ + kSkipBytes * block + 4); }

  uint32_t count_ = 0, n_ = 0;
  Reader data_{nullptr, nullptr};
  const Byte* skips_ = nullptr;
};

// Walks a list forwards. Decodes a block when it gets there, never allocates.
class ListCursor {
 public:
  explicit ListCursor(const Postings& postings);

  // The first position >= target, or kEnd. Targets must not descend.
  uint64_t next_geq(uint64_t target) {
    if (at_ < n_ && buffer_[at_] >= target) return buffer_[at_];
    if (at_ + 1 < n_ && buffer_[at_ + 1] >= target) return buffer_[++at_];
    return n_ && buffer_[n_ - 1] >= target ? search(target) : next_block(target);
  }

  // From the position that was found last, how many lie before `end`. Moves there.
  uint64_t count_until(uint64_t end) {
    const uint32_t before = rank();
    next_geq(end);
    return rank() - before;
  }
  // Appends these. Moves there.
  void collect_until(uint64_t end, std::vector<uint32_t>& positions) {
    while (n_ && buffer_[n_ - 1] < end) {
      positions.insert(positions.end(), buffer_ + at_, buffer_ + n_);
      next_block(0);
    }
    const uint32_t from = at_;
    next_geq(end);
    positions.insert(positions.end(), buffer_ + from, buffer_ + at_);
  }

  // Copies what is left of a block, or the next one, and moves behind it; 0 at the end.
  uint32_t take_block(uint32_t* positions) {
    if (at_ == n_ && next_block(0) == kEnd) return 0;
    const uint32_t n = n_ - at_;
    std::copy_n(buffer_ + at_, n, positions);
    at_ = n_;
    return n;
  }

  // Keeps those of some starts that have a position of this list so far behind them.
  uint32_t keep_confirmed(uint32_t offset, uint32_t* starts, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n;) {
      const uint64_t target = uint64_t{starts[i]} + offset, found = next_geq(target);
      if (found == kEnd) break;
      starts[kept] = starts[i++];
      if (found != target) continue;
      ++kept, ++at_;
      // The words of a name are often together everywhere.
      while (i + kStep <= n && at_ + kStep <= n_ && is_behind(offset, starts + i)) {
        std::copy_n(starts + i, kStep, starts + kept);
        i += kStep, kept += kStep, at_ += kStep;
      }
    }
    return kept;
  }

  // How many positions stand before that which was found last; all of them at the end.
  uint32_t rank() const { return n_ ? first_rank_ + at_ : count_; }

 private:
  // Positions that are compared at once.
  static constexpr uint32_t kStep = 8;
  static constexpr uint32_t kBeyond = INT32_MAX;  // no position is larger
  // Positions have 31 bits, and registers compare faster as signed numbers.
  typedef int32_t SignedLanes __attribute__((vector_size(16)));

  // How many of kStep positions are smaller.
  static uint32_t count_smaller(const uint32_t* positions, uint64_t target) {
    const int32_t limit = static_cast<int32_t>(std::min<uint64_t>(target, kBeyond));
    const SignedLanes smaller =
        (load<SignedLanes>(positions) < limit) + (load<SignedLanes>(positions + 4) < limit);
    return static_cast<uint32_t>(-(smaller[0] + smaller[1] + smaller[2] + smaller[3]));
  }
  // Whether the next kStep positions are those of the starts, so far behind.
  bool is_behind(uint32_t offset, const uint32_t* starts) const {
    const Lanes different = ((load<Lanes>(starts) + offset) ^ load<Lanes>(buffer_ + at_)) |
                            ((load<Lanes>(starts + 4) + offset) ^ load<Lanes>(buffer_ + at_ + 4));
    return !(different[0] | different[1] | different[2] | different[3]);
  }
  uint64_t next_block(uint64_t target);
  uint64_t end();
  // Where the answer stands in a block is anybody's guess, so little depends on it but sums.
  uint64_t search(uint64_t target) {
    uint32_t at = at_;
    if (buffer_[std::min(at + kStep, n_) - 1] < target) {
      at = 0;
      for (uint32_t end = 2 * kStep; end <= n_; end += 2 * kStep) {
        at += buffer_[end - 1] < target ? 2 * kStep : 0;
      }
      at += count_smaller(buffer_ + at, target);
    }
    at += count_smaller(buffer_ + at, target);
    at_ = std::max(at_, std::min(at, n_ - 1));
    // subtle: in a damaged block the values need not ascend; going back would loop for ever.
    if (buffer_[at_] < target) throw FormatError("the positions of a list do not ascend");
    return buffer_[at_];
  }
  void fill_up();

  uint32_t count_;
  Blocks blocks_;
  uint32_t block_ = 0;       // the next one to decode
  uint32_t at_ = 0;          // in the buffer
  uint32_t n_ = 0;           // in the buffer; some of kBeyond follow
  uint32_t first_rank_ = 0;  // of the buffer
  uint32_t buffer_[kBlock + 2 * kStep];
};

}  // namespace averment
