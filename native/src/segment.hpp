// An open segment: what is in it, and where its lists are; or a view of some of its documents.
//
// Immutable, so that any number of threads may ask. Opening checks everything that is small;
// `verify` checks every byte; the lists are checked as they are decoded.
#pragma once

#include <memory>

#include "dictionary.hpp"
#include "documents.hpp"
#include "store.hpp"

namespace averment {

// Copies share one open file.
class Segment {
 public:
  explicit Segment(const std::string& path);

  // The same segment restricted to those of its documents that are also in `members`, a bit for
  // each. All answers are then about these; numbers of documents and facts stay as they are.
  Segment among(std::string_view members) const;

  const Facts& facts() const { return file_->facts; }
  bool fold_accents() const { return facts().fold_accents != 0; }
  const Documents& documents() const { return file_->documents; }
  const Bitmaps& bitmaps() const { return file_->bitmaps; }
  const Dictionary& words() const { return file_->words; }
  const Dictionary& pairs() const { return file_->pairs; }
  uint64_t n_bytes(Section section) const { return file_->bytes.section(section).left(); }

  // The documents that answers are about; null: all.
  const DocumentSet* members() const { return members_.get(); }
  // The same as a filter that takes more bitmaps.
  DocumentFilter filter() const {
    DocumentFilter filter(documents().size());
    if (members_) filter.add(members_->bits());
    return filter;
  }

  // The names of the sections that are not as they were written.
  std::vector<std::string> verify() const;

 private:
  struct File {
    explicit File(const std::string& path);
    Dictionary open_dictionary(Section offsets, Section entries, Section lists) const;

    MappedFile bytes;
    Facts facts;
    Documents documents;
    Dictionary words, pairs;
    Bitmaps bitmaps;
  };
  std::shared_ptr<const File> file_;
  std::shared_ptr<const DocumentSet> members_;
};

// How many different words some segments have together.
uint64_t count_terms(const std::vector<const Segment*>& segments);

}  // namespace averment
