// Where documents begin, and sets of documents: those that hold a frequent word, or those asked
// for.
//
// Between two documents one position stays free, so that a phrase, whose words stand at positions
// in a row, cannot reach from one into the next, and nobody has to check.
#pragma once

#include <algorithm>

#include "postings.hpp"

namespace averment {

constexpr uint64_t kMaxPositions = uint64_t{1} << 31;  // of a segment

// A document as positions: its words are at start … end - 1, and `end` is free.
struct DocumentSpan {
  uint32_t number;
  uint32_t start;
  uint32_t end;
};

// Appends where the document behind one of so many words starts.
inline void append_start(std::vector<uint32_t>& starts, uint64_t n_words) {
  const uint64_t next = starts.back() + n_words + 1;
  if (next >= kMaxPositions) throw QueryError("a segment cannot hold more than 2^31 words");
  starts.push_back(static_cast<uint32_t>(next));
}

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

  // One more than the last.
  uint64_t n_positions() const { return n_ ? starts_[n_] : 0; }

  // The document in which the `i`-th of `n` about equal shares of all words begins.
  uint32_t at_share(size_t i, size_t n) const {
    return i < n && n_ ? number_of(n_positions() * i / n) : n_;
  }

  // The document of a position.
  DocumentSpan of(uint64_t position) const {
    // subtle: in a damaged list a position can lie beyond all documents.
    if (position >= starts_[n_]) throw FormatError("a position lies outside of all documents");
    const uint32_t number = number_of(position);
    // subtle: the free position ends a document; taken as one of its words it loops for ever.
    if (position + 1 == starts_[number + 1]) {
      throw FormatError("a word stands between two documents");
    }
    return (*this)[number];
  }

  // Where the document of a position begins; a free position belongs to the document before it, and
  // what is behind all documents stays where it is.
  uint64_t start_of(uint64_t position) const {
    return position < starts_[n_] ? starts_[number_of(position)] : position;
  }

 private:
  uint32_t number_of(uint64_t position) const {
    uint32_t low = guide_[position >> shift_];
    if (low + 4 < n_) {
      // Mostly it is one of these, and adding is cheaper than a wrong guess which.
      uint32_t ahead = 0;
      for (uint32_t i = 1; i <= 4; ++i) ahead += starts_[low + i] <= position;
      low += ahead;
      if (ahead < 4) return low;
    }
    return gallop(low, n_, [&](uint32_t i) { return starts_[i] <= position; }) - 1;
  }

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
  // The 64-bit words of a bitmap, or null if a damaged record names one that is not there.
  const uint64_t* find(uint32_t number) const {
    return number < n_ ? words_ + static_cast<size_t>(number) * stride_ : nullptr;
  }

 private:
  const uint64_t* words_ = nullptr;
  uint32_t stride_ = 0;
  uint32_t n_ = 0;
};

// Some documents of a segment: the ones that are not deleted, or those from some source or year.
class DocumentSet {
 public:
  // Bit d % 8 of byte d / 8 is set for members; with another set only those count that are in both.
  DocumentSet(uint32_t n_documents, std::string_view members, const DocumentSet* other)
      : bits_(Bitmaps::words_per_bitmap(n_documents)) {
    if (members.size() != (n_documents + size_t{7}) / 8) {
      throw QueryError("the set of documents has not one bit for each document of the segment");
    }
    std::memcpy(bits_.data(), members.data(), members.size());
    for (size_t i = 0; i < bits_.size(); ++i) {
      const uint64_t in_last = (uint64_t{1} << n_documents % 64) - 1;
      const uint64_t all = i + 1 < bits_.size() ? ~uint64_t{0} : in_last;
      bits_[i] &= other ? other->bits_[i] : all;
      uint64_t missing = all & ~bits_[i];
      for (; missing && missing_.size() <= bits_.size(); missing &= missing - 1) {
        missing_.push_back(static_cast<uint32_t>(i * 64) +
                           static_cast<uint32_t>(__builtin_ctzll(missing)));
      }
    }
  }

  const uint64_t* bits() const { return bits_.data(); }
  bool has(uint32_t document) const { return bits_[document / 64] >> document % 64 & 1; }
  // Those that are not members, if they are few enough that they are listed.
  const std::vector<uint32_t>* missing() const {
    return missing_.size() <= bits_.size() ? &missing_ : nullptr;
  }

 private:
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> missing_;  // cut off where they are more than `bits_`
};

// The documents that are in all of some bitmaps; all documents where there are none.
class DocumentFilter {
 public:
  explicit DocumentFilter(uint32_t n_documents) : n_documents_(n_documents) {}

  void add(const uint64_t* bitmap) { bitmaps_.push_back(bitmap); }
  size_t size() const { return bitmaps_.size(); }

  // The first at or behind `document`; the number of documents if there is none.
  uint32_t next(uint32_t document) const {
    if (bitmaps_.empty() || document >= n_documents_) return document;
    uint64_t mask = ~uint64_t{0} << document % 64;
    for (uint32_t word = document / 64; word <= (n_documents_ - 1) / 64; ++word) {
      uint64_t in_all = mask;
      for (const uint64_t* bitmap : bitmaps_) in_all &= bitmap[word];
      if (in_all) {
        return std::min(word * 64 + static_cast<uint32_t>(__builtin_ctzll(in_all)), n_documents_);
      }
      mask = ~uint64_t{0};
    }
    return n_documents_;
  }

 private:
  uint32_t n_documents_;
  std::vector<const uint64_t*> bitmaps_;
};

}  // namespace averment
