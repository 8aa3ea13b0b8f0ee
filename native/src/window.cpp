#include "window.hpp"

#include <algorithm>

namespace averment {
namespace {

constexpr size_t kFewStarts = 64;  // of a phrase in a document

// The documents in question that can hold both phrases, as far as the bitmaps of their lists know.
DocumentFilter possible_documents(const Segment& segment, const Phrase& a, const Phrase& b) {
  DocumentFilter filter = segment.filter();
  for (const Phrase* phrase : {&a, &b}) {
    for (const PhrasePart& part : phrase->parts) {
      const uint64_t* bitmap = segment.bitmaps().find(part.postings.bitmap);
      if (bitmap) filter.add(bitmap);
    }
  }
  // One bitmap of a list says no more than the list.
  return filter.size() > 1 ? filter : segment.filter();
}

// The cursor of a phrase that one list finds.
struct SingleList : ListCursor {
  SingleList(const Documents&, const Phrase& phrase) : ListCursor(phrase.parts[0].postings) {}
};

using Starts = std::vector<uint32_t>;

// Visits the documents in which starts of two phrases are within a window.
template <class Cursor>
class Join {
 public:
  // The rarer phrase leads.
  Join(const Segment& segment, const Phrase& a, const Phrase& b)
      : documents_(segment.documents()),
        possible_(possible_documents(segment, a, b)),
        exact_(segment.bitmaps().find(a.bitmap()) && segment.bitmaps().find(b.bitmap())),
        a_(documents_, a),
        b_(documents_, b) {}

  // Moves to the next document in which a start of `a` has a start of `b` at most `window`
  // positions away; false if there is none.
  bool next(uint64_t window) {
    if (!exact_) return next_from(document_.end, kEnd, window);
    // The bitmaps tell which documents hold both, so only long ones have to be looked at.
    while ((next_ = possible_.next(next_)) < documents_.size()) {
      document_ = documents_[next_++];
      const uint64_t longest = document_.end - document_.start;
      if (longest <= window || next_from(document_.start, document_.end, window)) return true;
    }
    return false;
  }

  // The document in which `next` stopped.
  DocumentSpan document() const { return document_; }

  // How many starts both phrases have in it, multiplied; as `collect` only behind `next` with a
  // window that spans documents: no cursor is then beyond the first start in the document.
  uint64_t count_products() { return count(a_) * count(b_); }
  // All starts of both phrases in it.
  void collect(Starts& a, Starts& b) {
    collect(a_, a);
    collect(b_, b);
  }

 private:
  // The same for the documents from position `from` to `end`.
  bool next_from(uint64_t from, uint64_t end, uint64_t window) {
    uint64_t a = a_.next_geq(from);
    while (a < end) {
      document_ = documents_.of(a);
      const uint32_t possible = possible_.next(document_.number);
      if (possible != document_.number) {
        if (possible == documents_.size()) return false;
        a = a_.next_geq(documents_[possible].start);
        continue;
      }
      const uint64_t reach = std::min(window, a - document_.start);
      const uint64_t b = b_.next_geq(a - reach);
      if (b == kEnd) return false;
      if (b < document_.end && (b <= a || b - a <= window)) return true;
      // Nothing of `b` is near; the next `a` that matters is near `b`.
      const uint64_t start = documents_.of(b).start;
      a = a_.next_geq(std::max(start, b - std::min(window, b)));
    }
    return false;
  }

  uint64_t count(Cursor& cursor) const {
    cursor.next_geq(document_.start);
    return cursor.count_until(document_.end);
  }
  void collect(Cursor& cursor, Starts& starts) const {
    starts.clear();
    cursor.next_geq(document_.start);
    cursor.collect_until(document_.end, starts);
  }

  const Documents& documents_;
  DocumentFilter possible_;
  bool exact_;  // whether all possible documents hold both
  Cursor a_, b_;
  uint32_t next_ = 0;  // where `exact_` goes on
  DocumentSpan document_{0, 0, 0};
};

bool rarer_first(const Phrase& a, const Phrase& b) { return a.at_most() <= b.at_most(); }

// use(Join) with the rarer phrase first; nothing where one of them does not occur.
template <class Use>
void with_join(const Segment& segment, const Phrase& a, const Phrase& b, Use use) {
  if (a.absent() || b.absent()) return;
  if (!rarer_first(a, b)) return with_join(segment, b, a, use);
  if (a.parts.size() == 1 && b.parts.size() == 1) use(Join<SingleList>(segment, a, b));
  else use(Join<PhraseCursor>(segment, a, b));
}

// Pairs at most `window` apart; `window` is shorter than the document.
uint64_t count_within(const Starts& a, const Starts& b, uint64_t window) {
  uint64_t pairs = 0;
  if (b.size() <= kFewStarts) {
    // Comparing all with all costs less than to guess wrong where the near ones begin and end.
    const uint32_t reach = static_cast<uint32_t>(window);
    for (const uint32_t at : a) {
      uint32_t near = 0;
      for (const uint32_t other : b) near += other - at + reach <= 2 * reach;
      pairs += near;
    }
    return pairs;
  }
  // For each of `a` those of `b` in a range that only moves forwards.
  size_t low = 0, high = 0;
  for (const uint64_t at : a) {
    while (low < b.size() && b[low] + window < at) ++low;
    while (high < b.size() && b[high] <= at + window) ++high;
    pairs += high - low;
  }
  return pairs;
}

// The closest pair, of equally close ones the earliest.
struct Closest {
  uint64_t distance = kNever;
  uint32_t a = 0, b = 0;
};
Closest closest(const Starts& a, const Starts& b) {
  Closest best;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const bool a_first = a[i] <= b[j];
    const uint64_t distance = a_first ? b[j] - a[i] : a[i] - b[j];
    if (distance < best.distance) best = {distance, a[i], b[j]};
    ++(a_first ? i : j);
  }
  return best;
}

// No starts of two phrases are nearer than this: an overlap must agree in all its words.
uint64_t least_distance(const Phrase& a, const Phrase& b) {
  uint64_t least = kNever;
  if (a.forms.empty() && !b.forms.empty()) return least_distance(b, a);
  for (const Phrase& form : a.forms) least = std::min(least, least_distance(form, b));
  if (!a.forms.empty()) return least;
  const auto fits_behind = [](const Phrase& first, const Phrase& second, size_t distance) {
    for (size_t i = distance; i < first.words.size() && i - distance < second.words.size(); ++i) {
      if (first.words[i] != second.words[i - distance]) return false;
    }
    return true;
  };
  size_t distance = 0;
  while (!fits_behind(a, b, distance) && !fits_behind(b, a, distance)) ++distance;
  return distance;
}

uint64_t saturating_add(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

}  // namespace

uint64_t count_documents(const Segment& segment, const Phrase& a, const Phrase& b,
                         uint64_t window_words, uint64_t limit) {
  uint64_t documents = 0;
  with_join(segment, a, b, [&](auto both) {
    while (documents < limit && both.next(window_words)) ++documents;
  });
  return documents;
}

std::vector<Cooccurrence> cooccurrence(const Segment& segment, const Phrase& a, const Phrase& b,
                                       const std::vector<uint64_t>& windows_words) {
  std::vector<Cooccurrence> found(windows_words.size());
  const uint64_t least = least_distance(a, b);
  const uint64_t narrowest = *std::min_element(windows_words.begin(), windows_words.end());
  uint64_t nearest = kNever;
  Starts of_a, of_b;
  with_join(segment, a, b, [&](auto both) {
    while (both.next(kMaxWindow)) {
      const uint64_t longest = both.document().end - both.document().start;
      // Where a window spans the document, the pairs are all there are.
      const bool only_products = nearest == least && longest <= narrowest;
      uint64_t products;
      if (only_products) {
        products = both.count_products();
      } else {
        both.collect(of_a, of_b);
        products = uint64_t{of_a.size()} * of_b.size();
        if (nearest != least) nearest = std::min(nearest, closest(of_a, of_b).distance);
      }
      for (size_t i = 0; i < found.size(); ++i) {
        const uint64_t window = windows_words[i];
        const uint64_t pairs = longest <= window ? products : count_within(of_a, of_b, window);
        found[i].documents += pairs > 0;
        found[i].pairs = saturating_add(found[i].pairs, pairs);
      }
    }
  });
  for (Cooccurrence& one : found) one.nearest = nearest;
  return found;
}

std::vector<NearestPair> locate_pairs(const Segment& segment, const Phrase& a, const Phrase& b,
                                      uint64_t window_words, size_t limit) {
  std::vector<NearestPair> found;
  const bool in_order = rarer_first(a, b);
  PhraseCursor again_a(segment.documents(), a), again_b(segment.documents(), b);  // for lengths
  Starts leading, other;
  with_join(segment, a, b, [&](auto both) {
    while (found.size() < limit && both.next(kMaxWindow)) {
      both.collect(leading, other);
      const Closest pair = closest(leading, other);
      if (pair.distance > window_words) continue;
      const DocumentSpan document = both.document();
      const uint32_t at_a = in_order ? pair.a : pair.b, at_b = in_order ? pair.b : pair.a;
      again_a.next_geq(at_a);
      again_b.next_geq(at_b);
      found.push_back({document.number, at_a - document.start, at_b - document.start,
                       again_a.n_words(), again_b.n_words()});
    }
  });
  return found;
}

}  // namespace averment
