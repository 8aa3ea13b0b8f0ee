// From the texts of documents to one segment file.
//
// Everything is kept in memory as one number a word until `finish`, so that the caller bounds
// memory by finishing in time (about 12 bytes a word at the peak). The same documents and options
// give the same bytes.
#pragma once

#include "segment_writer.hpp"
#include "vocabulary.hpp"

namespace averment {

class SegmentBuilder {
 public:
  explicit SegmentBuilder(const BuildOptions& options) : options_(options) {}

  // Appends documents, given as UTF-8 in NFC; returns how many words each has. On an error the
  // document that it is about and those behind it are not there.
  std::vector<uint64_t> add_many(const std::vector<std::string_view>& texts);
  uint64_t add(std::string_view text) { return add_many({text}).front(); }

  uint64_t n_words() const { return ids_.size(); }
  uint64_t n_documents() const { return starts_.size() - 1; }

  // Writes the segment; returns what is in it. The builder is empty afterwards.
  Facts finish(const std::string& path);

 private:
  BuildOptions options_;
  Vocabulary vocabulary_;
  std::vector<uint32_t> ids_;           // of all words in a row
  std::vector<uint32_t> starts_ = {0};  // of the documents, as positions
};

}  // namespace averment
