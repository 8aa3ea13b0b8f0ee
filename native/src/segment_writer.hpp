// From lists of positions to one segment file, for the builder and for merges.
#pragma once

#include <functional>

#include "dictionary.hpp"
#include "documents.hpp"
#include "store.hpp"

namespace averment {

struct BuildOptions {
  bool fold_accents = false;
  // A word is frequent with at least this many occurrences and this share of all words; the pairs
  // of frequent neighbours get lists of their own. 0 occurrences: no pairs.
  uint32_t frequent_min_count = 4096;
  double frequent_min_share = 1e-4;
  // What is in at least this share of the documents gets a bitmap of them. 0: nothing does.
  double bitmap_min_share = 0.125;
  // The file does not depend on it.
  unsigned n_threads = 1;
};

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
  virtual std::string_view key(size_t list) = 0;
  // Asked for by any thread; `room` is its own, to be used or not.
  virtual Content content(size_t list, bool all_positions, std::vector<uint32_t>& room) const = 0;

  size_t size() const { return facts.size(); }
  std::vector<ListFacts> facts;
};

// The numbers of the hashes in ascending order; the keys decide where hashes are equal, then the
// numbers.
std::vector<uint32_t> order_by_hash(const std::vector<uint64_t>& hashes,
                                    const std::function<std::string(uint32_t)>& key_of);

class SegmentWriter {
 public:
  // `starts` as in `Documents`.
  SegmentWriter(const std::string& path, const BuildOptions& options,
                const std::vector<uint32_t>& starts, const char* unicode_version);

  // Gives the most frequent words their ranks; returns their numbers by rank. At most kMaxFrequent.
  std::vector<uint32_t> rank_frequent(NewLists& words) const;

  void write_words(NewLists& words);
  void write_pairs(NewLists& pairs);
  // Completes and syncs the file.
  Facts finish();

  static constexpr size_t kMaxFrequent = 2048;  // ranks have 16 bits, and pairs a square table

 private:
  void write(NewLists& lists, Section offsets, Section entries, Section list_section);
  void reserve_bitmaps(NewLists& lists);
  void fill_bitmap(uint32_t number, const uint32_t* positions, uint32_t count);

  BuildOptions options_;
  FileWriter file_;
  Documents documents_;
  Facts facts_;
  std::vector<uint64_t> bitmaps_;
};

}  // namespace averment
