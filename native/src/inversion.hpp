// From keys by position to positions by key.
#pragma once

#include <vector>

#include "array.hpp"
#include "parallel.hpp"
#include "postings.hpp"

namespace averment {

// A word or a pair of words in a document.
struct Keyed {
  uint32_t key, position, document;
};

// Hands words on in batches, so that what they touch in memory is under way some words before.
template <class Take>
class Batch {
 public:
  explicit Batch(Take& take) : take_(take) {}

  // No branch where `keep` is anybody's guess.
  void add(const Keyed& word, bool keep = true) {
    words_[n_] = word;
    n_ += keep;
    if (n_ == kRoom) flush();
  }
  void flush() {
    take_(words_, n_);
    n_ = 0;
  }

 private:
  static constexpr size_t kRoom = 1024;
  Take& take_;
  Keyed words_[kRoom];
  size_t n_ = 0;
};

// Positions grouped by key, ascending.
struct Inverted {
  std::vector<uint32_t> starts;     // of each key in `positions`, and the end
  std::vector<uint32_t> documents;  // how many hold each key
  Array<uint32_t> positions;

  const uint32_t* of(uint32_t key) const { return positions.data() + starts[key]; }
  uint32_t count(uint32_t key) const { return starts[key + 1] - starts[key]; }
};

// A counting sort. `for_each(range, batch)` adds the words of a range to a batch, in ascending
// order of their positions; the ranges ascend, and no document is in two. Called twice for each.
template <class ForEach>
Inverted invert(size_t n_keys, unsigned n_ranges, const ForEach& for_each) {
  constexpr size_t kAhead = 16;
  struct Counter {
    uint32_t count = 0, documents = 0, last_document = kNone;
  };
  std::vector<std::vector<Counter>> counters(n_ranges);
  in_parallel(n_ranges, n_ranges, [&](size_t range, unsigned) {
    std::vector<Counter> keys(n_keys);
    const auto count = [&](const Keyed* words, size_t n) {
      for (size_t i = 0; i < n; ++i) {
        if (i + kAhead < n) __builtin_prefetch(&keys[words[i + kAhead].key], 1);
        Counter& key = keys[words[i].key];
        ++key.count;
        key.documents += key.last_document != words[i].document;
        key.last_document = words[i].document;
      }
    };
    Batch batch(count);
    for_each(range, batch);
    batch.flush();
    counters[range] = std::move(keys);
  });

  Inverted lists{std::vector<uint32_t>(n_keys + 1), std::vector<uint32_t>(n_keys), {}};
  std::vector<std::vector<uint32_t>> ends(n_ranges, std::vector<uint32_t>(n_keys));
  uint32_t total = 0;
  for (size_t key = 0; key < n_keys; ++key) {
    lists.starts[key] = total;
    for (unsigned range = 0; range < n_ranges; ++range) {
      ends[range][key] = total;
      total += counters[range][key].count;
      lists.documents[key] += counters[range][key].documents;
    }
  }
  lists.starts[n_keys] = total;
  counters.clear();

  lists.positions = Array<uint32_t>(total);
  uint32_t* positions = lists.positions.data();
  in_parallel(n_ranges, n_ranges, [&](size_t range, unsigned) {
    std::vector<uint32_t>& end = ends[range];  // moves as positions are filled in
    const auto fill = [&](const Keyed* words, size_t n) {
      for (size_t i = 0; i < n; ++i) {
        if (i + 2 * kAhead < n) __builtin_prefetch(&end[words[i + 2 * kAhead].key], 1);
        if (i + kAhead < n) __builtin_prefetch(positions + end[words[i + kAhead].key], 1);
        positions[end[words[i].key]++] = words[i].position;
      }
    };
    Batch batch(fill);
    for_each(range, batch);
    batch.flush();
  });
  return lists;
}

}  // namespace averment
