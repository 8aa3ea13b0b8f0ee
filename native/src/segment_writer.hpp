// From lists of positions to one segment file, for the builder and for merges.
#pragma once

#include "dictionary.hpp"
#include "inversion.hpp"
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

class SegmentWriter {
 public:
  // `starts` as in `Documents`.
  SegmentWriter(const std::string& path, const BuildOptions& options,
                const std::vector<uint32_t>& starts, const char* unicode_version);

  // Called once; ranks the frequent words.
  void write_words(NewLists&& words);
  // Writes the pairs of frequent words; completes and syncs the file.
  Facts finish();

 private:
  void rank_frequent(NewLists& words);
  void write(NewLists& lists, Section offsets, Section entries, Section list_section);
  void reserve_bitmaps(NewLists& lists);
  void fill_bitmap(uint32_t number, const Content& content, uint32_t count);

  BuildOptions options_;
  FileWriter file_;
  Documents documents_;
  Facts facts_;
  std::vector<uint64_t> bitmaps_;
  std::vector<uint16_t> rank_at_;  // of the word at each position, or kNoRank
};

}  // namespace averment
