#include "phrase.hpp"

#include <algorithm>
#include <tuple>

namespace averment {
namespace {

constexpr uint32_t kJumpDocuments = 4;  // that are counted in the time of a jump to a distant one

// All lists that could find the phrase: one for each word that is in no listed pair, and all pairs.
// Empty if a word or a pair that should be listed is not there, which proves that the phrase isn't.
std::vector<PhrasePart> candidates(const Segment& segment, const Words& words) {
  std::vector<PhrasePart> single, found;
  for (uint32_t i = 0; i < words.size(); ++i) {
    const std::optional<Postings> postings = segment.words().find(words[i]);
    if (!postings) return {};
    single.push_back({*postings, i, 1});
  }
  if (single.size() == 1) return single;
  const auto frequent = [&](size_t i) { return single[i].postings.frequent_rank != kNone; };
  PairKey key;
  for (uint32_t i = 0; i < single.size(); ++i) {
    if (i + 1 < single.size() && frequent(i) && frequent(i + 1)) {
      const auto pair = segment.pairs().find(
          key.of(single[i].postings.frequent_rank, single[i + 1].postings.frequent_rank));
      if (!pair) return {};
      found.push_back({*pair, i, 2});
    } else if (!(i && frequent(i) && frequent(i - 1))) {
      found.push_back(single[i]);
    }
  }
  return found;
}

}  // namespace

Phrase find_phrase(const Segment& segment, const Words& words) {
  Phrase phrase;
  phrase.words.reserve(words.size());
  for (size_t i = 0; i < words.size(); ++i) phrase.words.push_back(hash_word(words[i]));
  std::vector<PhrasePart> parts = candidates(segment, words);
  if (parts.size() <= 1) {
    phrase.parts = std::move(parts);
    return phrase;
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return std::tie(a.postings.count, a.offset) < std::tie(b.postings.count, b.offset);
  });
  // The rarest lists that together see every word; more would confirm what is known.
  std::vector<bool> seen(words.size());
  for (const PhrasePart& part : parts) {
    const auto first = seen.begin() + part.offset, last = first + part.n_words;
    if (std::find(first, last, false) == last) continue;
    std::fill(first, last, true);
    phrase.parts.push_back(part);
  }
  return phrase;
}

Phrase set_of(std::vector<Phrase> forms) {
  std::sort(forms.begin(), forms.end(), [](const Phrase& a, const Phrase& b) {
    return a.words.size() != b.words.size() ? a.words.size() > b.words.size() : a.words < b.words;
  });
  forms.erase(std::unique(forms.begin(), forms.end(),
                          [](const Phrase& a, const Phrase& b) { return a.words == b.words; }),
              forms.end());
  if (forms.size() == 1) return std::move(forms[0]);
  Phrase set;
  for (Phrase& form : forms) {
    if (!form.absent()) set.forms.push_back(std::move(form));
  }
  return set;
}

PhraseCursor::PhraseCursor(const Documents& documents, const Phrase& phrase)
    : documents_(documents), n_words_(static_cast<uint32_t>(phrase.words.size())) {
  parts_.reserve(phrase.parts.size());
  for (const PhrasePart& part : phrase.parts) parts_.emplace_back(part);
  if (!parts_.empty()) return;
  forms_.reserve(phrase.forms.size());
  for (const Phrase& form : phrase.forms) forms_.emplace_back(documents, form);
}

uint64_t PhraseCursor::next_geq(uint64_t target) {
  if (started_ && found_ >= target) return found_;
  started_ = true;
  if (parts_.empty()) return found_ = next_of_forms(target);
  for (;;) {
    const uint64_t leading = parts_[0].list.next_geq(target + parts_[0].offset);
    if (leading == kEnd) return found_ = kEnd;
    const uint64_t start = leading - parts_[0].offset;
    uint64_t least = start;
    for (size_t i = 1; i < parts_.size() && least == start; ++i) {
      const uint64_t confirming = parts_[i].list.next_geq(start + parts_[i].offset);
      if (confirming == kEnd) return found_ = kEnd;
      least = confirming - parts_[i].offset;
    }
    if (least == start) return found_ = start;
    target = least;
  }
}

uint64_t PhraseCursor::next_of_forms(uint64_t target) {
  // What is an occurrence depends on those before it in the document, but on no other document.
  if (target > free_) free_ = std::max(free_, documents_.start_of(target));
  for (;;) {
    uint64_t first = kEnd;
    for (PhraseCursor& form : forms_) {
      const uint64_t start = form.next_geq(free_);
      if (start < first) first = start, n_words_ = form.n_words_;
    }
    if (first == kEnd) return kEnd;
    free_ = first + n_words_;
    if (first >= target) return first;
  }
}

uint32_t PhraseCursor::take_block(uint32_t* starts) {
  uint32_t n = 0;
  if (parts_.empty()) {
    for (; n < kBlock && next_geq(started_ ? found_ + 1 : 0) != kEnd; ++n) {
      starts[n] = static_cast<uint32_t>(found_);
    }
    return n;
  }
  Part& leading = parts_[0];
  if (!started_) leading.list.next_geq(leading.offset);
  started_ = true;
  while (!n && (n = leading.list.take_block(starts))) {
    for (uint32_t i = 0; i < n; ++i) starts[i] -= leading.offset;
    for (size_t i = 1; i < parts_.size(); ++i) {
      n = parts_[i].list.keep_confirmed(parts_[i].offset, starts, n);
    }
  }
  return n;
}

uint64_t PhraseCursor::count_until(uint64_t end) {
  uint64_t n = 0;
  for (; found_ < end; next_geq(found_ + 1)) ++n;
  return n;
}

void PhraseCursor::collect_until(uint64_t end, std::vector<uint32_t>& starts) {
  for (; found_ < end; next_geq(found_ + 1)) starts.push_back(static_cast<uint32_t>(found_));
}

namespace {

// Calls visit(document, first start in it, cursor) for each document in question that holds the
// phrase, until it returns false.
template <class Visit>
void for_each_document(const Segment& segment, const Phrase& phrase, Visit visit) {
  const Documents& documents = segment.documents();
  const DocumentFilter filter = segment.filter();
  PhraseCursor cursor(documents, phrase);
  for (uint64_t at = cursor.next_geq(0); at != kEnd;) {
    const DocumentSpan document = documents.of(at);
    const uint32_t possible = filter.next(document.number);
    if (possible != document.number) {
      if (possible == documents.size()) return;
      at = cursor.next_geq(documents[possible].start);
    } else {
      if (!visit(document, at, cursor)) return;
      at = cursor.next_geq(document.end);
    }
  }
}

// Calls visit(start) for each start in any document, in order.
template <class Visit>
void for_each_start(const Segment& segment, const Phrase& phrase, Visit visit) {
  PhraseCursor cursor(segment.documents(), phrase);
  uint32_t starts[kBlock];
  while (const uint32_t n = cursor.take_block(starts)) std::for_each_n(starts, n, visit);
}

// What a single list says, less what is in some documents.
PhraseCount count_but(const Documents& documents, const std::vector<uint32_t>& missing,
                      const Phrase& phrase) {
  PhraseCount count{phrase.parts[0].postings.count, phrase.parts[0].postings.documents};
  ListCursor list(phrase.parts[0].postings);
  for (const uint32_t number : missing) {
    const DocumentSpan document = documents[number];
    list.next_geq(document.start);
    const uint64_t n = list.count_until(document.end);
    count.occurrences -= n;
    count.documents -= n > 0;
  }
  return count;
}

}  // namespace

PhraseCount count_phrase(const Segment& segment, const Phrase& phrase) {
  const DocumentSet* members = segment.members();
  const std::vector<uint32_t>* missing = members ? members->missing() : nullptr;
  if (phrase.parts.size() == 1) {
    const Postings& postings = phrase.parts[0].postings;
    if (!members) return {postings.count, postings.documents};
    if (missing && missing->size() < postings.documents / kJumpDocuments) {
      return count_but(segment.documents(), *missing, phrase);
    }
  }
  PhraseCount count;
  if (members && !missing) {
    for_each_document(segment, phrase, [&](DocumentSpan document, uint64_t, PhraseCursor& cursor) {
      ++count.documents;
      count.occurrences += cursor.count_until(document.end);
      return true;
    });
    return count;
  }
  uint64_t end = 0;
  bool counts = true;
  for_each_start(segment, phrase, [&](uint32_t start) {
    if (start >= end) {
      const DocumentSpan document = segment.documents().of(start);
      end = document.end;
      counts = !members || members->has(document.number);
      count.documents += counts;
    }
    count.occurrences += counts;
  });
  return count;
}

std::vector<Occurrence> locate_phrase(const Segment& segment, const Phrase& phrase, size_t limit) {
  std::vector<Occurrence> found;
  if (!limit) return found;
  for_each_document(segment, phrase, [&](DocumentSpan document, uint64_t at, PhraseCursor& cursor) {
    for (; at < document.end && found.size() < limit; at = cursor.next_geq(at + 1)) {
      found.push_back(
          {document.number, static_cast<uint32_t>(at - document.start), cursor.n_words()});
    }
    return found.size() < limit;
  });
  return found;
}

void condense(const Segment& segment, Phrase& phrase) {
  std::vector<uint32_t> starts;
  for_each_start(segment, phrase, [&](uint32_t start) { starts.push_back(start); });
  Postings own;
  own.count = static_cast<uint32_t>(starts.size());
  const uint32_t n_words = static_cast<uint32_t>(phrase.words.size());
  phrase.parts.clear();
  if (starts.empty()) return;
  if (own.count <= kFew) {
    std::copy(starts.begin(), starts.end(), own.few);
  } else {
    append_blocks(starts.data(), own.count, phrase.own_blocks);
    own.blocks = {phrase.own_blocks.data(), phrase.own_blocks.data() + phrase.own_blocks.size()};
  }
  phrase.parts.push_back({own, 0, n_words});
}

}  // namespace averment
