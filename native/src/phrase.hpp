// A phrase in a segment: which lists find it, and a cursor over its starts.
//
// A phrase of several words is the lists of its words, shifted; where two neighbours are frequent
// the list of their pair replaces both. The rarest list leads, the others only confirm.
//
// A set of phrases, the forms of one name, occurs where a regular expression of the alternatives
// finds it: in a document from left to right, at each start the longest form, and never inside of
// the occurrence before.
#pragma once

#include "segment.hpp"
#include "tokenizer.hpp"

namespace averment {

// A list, how far behind the start of the phrase its positions are, and how many words it is for.
struct PhrasePart {
  Postings postings;
  uint32_t offset;
  uint32_t n_words;
};

// A phrase or a set of forms that was looked up.
struct Phrase {
  Phrase() = default;
  Phrase(Phrase&&) = default;  // and no copies: a condensed phrase points into itself
  Phrase& operator=(Phrase&&) = default;

  std::vector<PhrasePart> parts;  // rarest first; if there are any, they find all starts
  std::vector<uint64_t> words;    // the hashes of its words; none for a set
  std::vector<Phrase> forms;      // of a set, those that may occur, longest first
  Bytes own_blocks;               // of a condensed phrase: what its one part points to

  // The bitmap of its documents, if a single list finds it and has one.
  uint32_t bitmap() const { return parts.size() == 1 ? parts[0].postings.bitmap : kNone; }
  bool absent() const { return parts.empty() && forms.empty(); }
  // No more starts than this.
  uint64_t at_most() const {
    if (!parts.empty()) return parts.front().postings.count;
    uint64_t n = 0;
    for (const Phrase& form : forms) n += form.at_most();
    return n;
  }
};

// Looks the words up; there must be at least one.
Phrase find_phrase(const Segment& segment, const Words& words);

// The set of some forms, which need not differ. One form is that phrase.
Phrase set_of(std::vector<Phrase> forms);

// Gives a phrase a list of its own starts, for when it is asked about again and again. The list
// does not know in how many documents they are.
void condense(const Segment& segment, Phrase& phrase);

// Walks the starts of a phrase forwards.
class PhraseCursor {
 public:
  PhraseCursor(const Documents& documents, const Phrase& phrase);

  // The first start >= target, or kEnd. Targets must not descend.
  uint64_t next_geq(uint64_t target);

  // The next starts, at most kBlock; none at the end. Not to be mixed with the others.
  uint32_t take_block(uint32_t* starts);

  // From the start that was found last, how many lie before `end`. Moves there.
  uint64_t count_until(uint64_t end);
  // Appends these. Moves there.
  void collect_until(uint64_t end, std::vector<uint32_t>& starts);

  // How many words there are at the start that was found last; not of a condensed set.
  uint32_t n_words() const { return n_words_; }

 private:
  struct Part {
    explicit Part(const PhrasePart& part) : list(part.postings), offset(part.offset) {}
    ListCursor list;
    uint32_t offset;
  };
  uint64_t next_of_forms(uint64_t target);

  const Documents& documents_;
  std::vector<Part> parts_;
  std::vector<PhraseCursor> forms_;
  uint32_t n_words_;
  uint64_t free_ = 0;   // of a set: behind the last occurrence
  uint64_t found_ = 0;  // what was returned last, once `started_`
  bool started_ = false;
};

struct PhraseCount {
  uint64_t occurrences = 0;
  uint64_t documents = 0;
};

PhraseCount count_phrase(const Segment& segment, const Phrase& phrase);

struct Occurrence {
  uint32_t document;
  uint32_t word;  // of the document, from 0
  uint32_t n_words;
};

// The first `limit` occurrences.
std::vector<Occurrence> locate_phrase(const Segment& segment, const Phrase& phrase, size_t limit);

}  // namespace averment
