// The list of positions of a word or of a pair of words, and a cursor that skips through it.
//
// Lists of up to four positions stand in the dictionary itself. Longer ones are blocks of 128;
// where there is more than one, a table of (last position, offset of the block) comes first.
#pragma once

#include "packing.hpp"

namespace averment {

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

// Walks a list forwards. Decodes a block when it gets there, never allocates.
class ListCursor {
 public:
  explicit ListCursor(const Postings& postings);

  // The first position >= target, or kEnd. Targets must not descend.
  uint64_t next_geq(uint64_t target) {
    if (at_ < n_ && buffer_[at_] >= target) return buffer_[at_];
    if (at_ + 1 < n_ && buffer_[at_ + 1] >= target) return buffer_[++at_];
    if (n_ && buffer_[n_ - 1] >= target) return search(static_cast<uint32_t>(target));
    return next_block(target);
  }

  // How many positions stand before that which was found last; all of them at the end.
  uint32_t rank() const { return n_ ? first_rank_ + at_ : count_; }

  // Positions in the list; how it compares decides who leads.
  uint32_t count() const { return count_; }

 private:
  uint32_t last_of(uint32_t block) const { return load<uint32_t>(skips_ + 8 * block); }
  uint64_t next_block(uint64_t target);
  uint64_t search(uint32_t target);
  void fill_up();

  uint32_t count_;
  uint32_t n_blocks_ = 0;
  uint32_t block_ = 0;       // the next one to decode
  uint32_t at_ = 0;          // in the buffer
  uint32_t n_ = 0;           // in the buffer; the rest of it is filled up with kBeyond
  uint32_t first_rank_ = 0;  // of the buffer
  const Byte* skips_ = nullptr;
  Reader data_{nullptr, nullptr};
  uint32_t buffer_[kBlock];
};

}  // namespace averment
