// Where documents begin, and which documents hold a frequent word.
//
// Between two documents one position stays free, so that a phrase, whose words stand at positions
// in a row, cannot reach from one into the next, and nobody has to check.
#pragma once

#include <algorithm>

#include "postings.hpp"

namespace averment {

// A document as positions: its words are at start … end - 1, and `end` is free.
struct DocumentSpan {
  uint32_t number;
  uint32_t start;
  uint32_t end;
};

// Reads the starts of documents in place: n + 1 ascending numbers, the last where one would follow.
class Documents {
 public:
  Documents() = default;
  Documents(const uint32_t* starts, uint32_t n) : starts_(starts), n_(n) {
    if (!n) return;
    // About one guide post a document: from the nearest it is a step or two to any position.
    while (starts[n] / n >> (shift_ + 1)) ++shift_;
    uint32_t document = 0;
    for (uint64_t position = 0; position < starts[n]; position += uint64_t{1} << shift_) {
      while (starts[document + 1] <= position) ++document;
      guide_.push_back(document);
    }
  }

  uint32_t size() const { return n_; }
  DocumentSpan operator[](uint32_t number) const {
    return {number, starts_[number], starts_[number + 1] - 1};
  }

  // The document of a position.
  DocumentSpan of(uint64_t position) const {
    // subtle: in a damaged list a position can lie beyond all documents.
    if (position >= starts_[n_]) throw FormatError("a position lies outside of all documents");
    uint32_t low = guide_[position >> shift_], step = 1;
    while (low + step < n_ && starts_[low + step] <= position) low += step, step *= 2;
    uint32_t high = std::min(low + step, n_);
    while (low + 1 < high) {
      const uint32_t middle = low + (high - low) / 2;
      (starts_[middle] <= position ? low : high) = middle;
    }
    // subtle: the free position ends a document; taken as one of its words it loops for ever.
    if (position + 1 == starts_[low + 1]) throw FormatError("a word stands between two documents");
    return (*this)[low];
  }

 private:
  const uint32_t* starts_ = nullptr;
  uint32_t n_ = 0;
  uint32_t shift_ = 0;
  std::vector<uint32_t> guide_;  // the document of every 2^shift-th position
};

// Bits of the documents that hold each of some frequent words or pairs.
class Bitmaps {
 public:
  Bitmaps() = default;
  Bitmaps(const uint64_t* words, uint32_t n_documents, uint32_t n)
      : words_(words), stride_(words_per_bitmap(n_documents)), n_(n) {}

  static uint32_t words_per_bitmap(uint32_t n_documents) { return n_documents / 64 + 1; }
  uint32_t stride() const { return stride_; }
  // The 64-bit words of a bitmap, or null if a damaged record names one that is not there.
  const uint64_t* find(uint32_t number) const {
    return number < n_ ? words_ + static_cast<size_t>(number) * stride_ : nullptr;
  }

 private:
  const uint64_t* words_ = nullptr;
  uint32_t stride_ = 0;
  uint32_t n_ = 0;
};

}  // namespace averment
