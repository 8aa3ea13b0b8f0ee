// The lists of a new dictionary, and how they are made: from keys by position to positions by key.
#pragma once

#include <functional>

#include "documents.hpp"
#include "parallel.hpp"

namespace averment {

// The positions of a list.
struct Content {
  const uint32_t* positions;
  // A list in blocks that it begins with, so that full blocks may be copied; null: none. Then
  // `positions` need only be right behind these blocks, unless all are asked for.
  const Postings* head;
};

// The lists of a new dictionary, in the order of (hash, key).
class NewLists {
 public:
  virtual ~NewLists() = default;
  // Asked for in ascending order, by one thread at a time.
  virtual std::string_view key(size_t list) const = 0;
  // Asked for by any thread; `room` is its own, to be used or not.
  virtual Content content(size_t list, bool all_positions, std::vector<uint32_t>& room) const = 0;

  size_t size() const { return facts.size(); }
  std::vector<ListFacts> facts;
};

// Spells a key, given its number. The next call may overwrite it; see `hash_word` for the padding.
using KeyOf = std::function<std::string_view(uint32_t number)>;

// Sorts numbers by the hashes of their keys; the keys decide where hashes are equal, then the
// numbers.
void sort_by_hash(std::vector<uint32_t>& numbers, const KeyOf& key_of);

// Positions grouped by key, ascending.
struct Inverted {
  std::vector<uint32_t> starts;     // of each key in `positions`, and the end
  std::vector<uint32_t> documents;  // how many hold each key
  std::vector<uint32_t> positions;

  const uint32_t* of(uint32_t key) const { return positions.data() + starts[key]; }
  uint32_t count(uint32_t key) const { return starts[key + 1] - starts[key]; }
};

// Lists of the keys that have a position.
class InvertedLists final : public NewLists {
 public:
  InvertedLists(Inverted inverted, KeyOf key_of);

  std::string_view key(size_t list) const override { return key_of_(order_[list]); }
  Content content(size_t list, bool, std::vector<uint32_t>&) const override;

 private:
  Inverted inverted_;
  KeyOf key_of_;
  std::vector<uint32_t> order_;  // the key of each list
};

// A word or a pair of words in a document.
struct Keyed {
  uint32_t key, position, document;
};

// Calls take(words, n) for the words of some documents that have a key, many at a time, so that
// what they touch in memory can be under way some words before.
template <class Key, class Take>
void in_batches(const Documents& documents, uint32_t first, uint32_t last, const Key& key,
                const Take& take) {
  constexpr size_t kRoom = 1024;
  Keyed words[kRoom];
  size_t n = 0;
  for (uint32_t document = first; document < last; ++document) {
    const DocumentSpan span = documents[document];
    for (uint32_t position = span.start; position < span.end; ++position) {
      words[n] = {key(position, document), position, document};
      n += words[n].key != kNone;  // no branch where it is anybody's guess
      if (n < kRoom) continue;
      take(words, n);
      n = 0;
    }
  }
  take(words, n);
}

// A counting sort of all positions by key(position, document), less than `n_keys` or kNone.
template <class Key>
Inverted invert(const Documents& documents, size_t n_keys, unsigned n_threads, const Key& key) {
  constexpr unsigned kMaxRanges = 8;  // that are inverted side by side, each with its own counters
  constexpr size_t kAhead = 16;
  struct Counter {
    uint32_t count = 0, documents = 0, last_document = kNone;
  };
  const unsigned n_ranges = std::min(n_workers(n_threads), kMaxRanges);
  const auto in_range = [&](size_t range, const auto& take) {
    const uint32_t first = documents.at_share(range, n_ranges);
    in_batches(documents, first, documents.at_share(range + 1, n_ranges), key, take);
  };
  std::vector<std::vector<Counter>> counters(n_ranges);
  in_parallel(n_ranges, n_ranges, [&](size_t range, unsigned) {
    std::vector<Counter> keys(n_keys);
    in_range(range, [&](const Keyed* words, size_t n) {
      for (size_t i = 0; i < n; ++i) {
        if (i + kAhead < n) __builtin_prefetch(&keys[words[i + kAhead].key], 1);
        Counter& counter = keys[words[i].key];
        ++counter.count;
        counter.documents += counter.last_document != words[i].document;
        counter.last_document = words[i].document;
      }
    });
    counters[range] = std::move(keys);
  });

  Inverted lists{std::vector<uint32_t>(n_keys + 1), std::vector<uint32_t>(n_keys), {}};
  std::vector<std::vector<uint32_t>> ends(n_ranges, std::vector<uint32_t>(n_keys));
  uint32_t total = 0;
  for (size_t i = 0; i < n_keys; ++i) {
    lists.starts[i] = total;
    for (unsigned range = 0; range < n_ranges; ++range) {
      ends[range][i] = total;
      total += counters[range][i].count;
      lists.documents[i] += counters[range][i].documents;
    }
  }
  lists.starts[n_keys] = total;
  counters.clear();

  lists.positions.resize(total);
  uint32_t* positions = lists.positions.data();
  in_parallel(n_ranges, n_ranges, [&](size_t range, unsigned) {
    std::vector<uint32_t>& end = ends[range];  // moves as positions are filled in
    in_range(range, [&](const Keyed* words, size_t n) {
      for (size_t i = 0; i < n; ++i) {
        if (i + 2 * kAhead < n) __builtin_prefetch(&end[words[i + 2 * kAhead].key], 1);
        if (i + kAhead < n) __builtin_prefetch(positions + end[words[i + kAhead].key], 1);
        positions[end[words[i].key]++] = words[i].position;
      }
    });
  });
  return lists;
}

}  // namespace averment
