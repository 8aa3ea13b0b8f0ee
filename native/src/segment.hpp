// An open segment: what is in it, and where its lists are.
//
// Immutable, so that any number of threads may ask. Opening checks everything that is small;
// `verify` checks every byte; the lists are checked as they are decoded.
#pragma once

#include "dictionary.hpp"
#include "documents.hpp"
#include "store.hpp"

namespace averment {

class Segment {
 public:
  explicit Segment(const std::string& path);

  const Facts& facts() const { return facts_; }
  bool fold_accents() const { return facts_.fold_accents != 0; }
  const Documents& documents() const { return documents_; }
  const Bitmaps& bitmaps() const { return bitmaps_; }
  const Dictionary& words() const { return words_; }
  const Dictionary& pairs() const { return pairs_; }
  uint64_t n_bytes(Section section) const { return file_.section(section).left(); }
  uint64_t n_bytes() const { return file_.n_bytes(); }

  // The names of the sections that are not as they were written.
  std::vector<std::string> verify() const;

 private:
  Dictionary open_dictionary(Section offsets, Section entries, Section lists) const;

  MappedFile file_;
  Facts facts_;
  Documents documents_;
  Dictionary words_, pairs_;
  Bitmaps bitmaps_;
};

// How many different words some segments have together.
uint64_t count_terms(const std::vector<const Segment*>& segments);

// What a question is about: a segment, or some documents of it.
struct Scope {
  Scope(const Segment& whole, const DocumentSet* some = nullptr) : segment(whole), among(some) {
    if (among && among->n_documents() != segment.documents().size()) {
      throw QueryError("the set of documents belongs to another segment");
    }
  }

  // The documents asked for, as a filter that takes more bitmaps.
  DocumentFilter filter() const {
    DocumentFilter filter(segment.documents().size());
    if (among) filter.add(among->bits());
    return filter;
  }

  const Segment& segment;
  const DocumentSet* among;  // null: all
};

}  // namespace averment
