// From the texts of documents to one segment file.
//
// Everything is kept in memory as one number a word until `finish`, so that the caller bounds
// memory by finishing in time (about 12 bytes a word at the peak). The same documents and options
// give the same bytes.
#pragma once

#include "store.hpp"
#include "vocabulary.hpp"

namespace averment {

struct BuildOptions {
  bool fold_accents = false;
  // A word is frequent with at least this many occurrences and this share of all words; the pairs
  // of frequent neighbours get lists of their own. 0 occurrences: no pairs.
  uint32_t frequent_min_count = 4096;
  double frequent_min_share = 1e-4;
  // What is in at least this share of the documents gets a bitmap of them. 0: nothing does.
  double bitmap_min_share = 0.125;
};

class SegmentBuilder {
 public:
  explicit SegmentBuilder(const BuildOptions& options) : options_(options) {}

  // Appends a document, given as UTF-8 in NFC; returns how many words it has. On an error the
  // document is not there.
  uint64_t add(std::string_view text);

  uint64_t n_words() const { return ids_.size(); }
  uint64_t n_documents() const { return starts_.size() - 1; }

  // Writes the segment; returns what is in it. The builder is empty afterwards.
  Facts finish(const std::string& path);

 private:
  BuildOptions options_;
  Vocabulary vocabulary_;
  Words words_;
  std::vector<uint32_t> ids_;           // of all words in a row
  std::vector<uint32_t> starts_ = {0};  // of the documents, as positions
};

}  // namespace averment
