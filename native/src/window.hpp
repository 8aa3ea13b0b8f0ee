// The window join: where two phrases start at most so many words apart in one document.
//
// Both phrases are walked side by side, and whoever is behind jumps to where a pair is possible.
#pragma once

#include "phrase.hpp"

namespace averment {

constexpr uint64_t kMaxWindow = UINT32_MAX;  // spans every document
constexpr uint64_t kNever = UINT64_MAX;      // the distance of phrases that share no document

struct Cooccurrence {
  uint64_t documents = 0;     // with at least one pair of starts within the window
  uint64_t pairs = 0;         // of starts within the window; stays at the largest number
  uint64_t nearest = kNever;  // the smallest distance in any document, whatever the window
};

// The closest pair of starts of a document.
struct NearestPair {
  uint32_t document;
  uint32_t a_word, b_word;  // of the document, from 0
  uint32_t a_n_words, b_n_words;
};

// In how many documents there is a pair; stops at so many.
uint64_t count_documents(const Segment& segment, const Phrase& a, const Phrase& b,
                         uint64_t window_words, uint64_t limit = UINT64_MAX);

inline bool exists(const Segment& segment, const Phrase& a, const Phrase& b,
                   uint64_t window_words) {
  return count_documents(segment, a, b, window_words, 1) > 0;
}

// Everything, for each of some windows, at least one, in one walk; has to look at all starts in the
// documents that both phrases share.
std::vector<Cooccurrence> cooccurrence(const Segment& segment, const Phrase& a, const Phrase& b,
                                       const std::vector<uint64_t>& windows_words);

// The closest pair of each of the first `limit` documents that hold one within the window; of
// equally close ones the earliest.
std::vector<NearestPair> locate_pairs(const Segment& segment, const Phrase& a, const Phrase& b,
                                      uint64_t window_words, size_t limit);

}  // namespace averment
