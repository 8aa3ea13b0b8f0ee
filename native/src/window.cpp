#include "window.hpp"

#include <algorithm>

namespace averment {
namespace {

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

// Visits pairs of starts of two phrases that are within the window, or at least in one document.
class Join {
 public:
  // The rarer phrase leads.
  Join(const Segment& segment, const Phrase& a, const Phrase& b)
      : documents_(segment.documents()),
        possible_(possible_documents(segment, a, b)),
        a_(documents_, a),
        b_(documents_, b) {}

  // Moves to the next document, at or behind `from`, in which a start of `a` has a start of `b` at
  // most `window` positions away; false if there is none.
  bool next(uint64_t from, uint64_t window) {
    uint64_t a = a_.next_geq(from);
    while (a != kEnd) {
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
      if (b < document_.end && (b <= a || b - a <= window)) {
        first_a_ = a;
        first_b_ = b;
        return true;
      }
      // Nothing of `b` is near; the next `a` that matters is near `b`.
      const uint64_t start = documents_.of(b).start;
      a = a_.next_geq(std::max(start, b - std::min(window, b)));
    }
    return false;
  }

  // The document in which `next` stopped.
  DocumentSpan document() const { return document_; }

  // The numbers of starts of both phrases in it, with the same condition as `collect`.
  uint64_t count_products() {
    return a_.count_until(first_a_, document_.end) * b_.count_until(first_b_, document_.end);
  }

  // All starts of both phrases in it; only after `next` with a window that spans documents.
  void collect(std::vector<uint32_t>& a, std::vector<uint32_t>& b) {
    collect(a_, first_a_, a);
    collect(b_, first_b_, b);
  }

 private:
  void collect(PhraseCursor& cursor, uint64_t at, std::vector<uint32_t>& starts) const {
    starts.clear();
    for (; at < document_.end; at = cursor.next_geq(at + 1)) {
      starts.push_back(static_cast<uint32_t>(at));
    }
  }

  const Documents& documents_;
  DocumentFilter possible_;
  PhraseCursor a_, b_;
  DocumentSpan document_{0, 0, 0};
  uint64_t first_a_ = 0, first_b_ = 0;
};

bool rarer_first(const Phrase& a, const Phrase& b) { return a.at_most() <= b.at_most(); }

Join join(const Segment& segment, const Phrase& a, const Phrase& b) {
  return rarer_first(a, b) ? Join(segment, a, b) : Join(segment, b, a);
}

using Starts = std::vector<uint32_t>;

// Pairs at most `window` apart: for each of `a` those of `b` in a range that only moves forwards.
uint64_t count_within(const Starts& a, const Starts& b, uint64_t window) {
  uint64_t pairs = 0;
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
  if (a.forms.empty() && !b.forms.empty()) return least_distance(b, a);
  uint64_t distance = a.forms.empty() ? 0 : kNever;
  for (const Phrase& form : a.forms) distance = std::min(distance, least_distance(form, b));
  if (!a.forms.empty()) return distance;
  const auto fits_behind = [](const Phrase& first, const Phrase& second, size_t distance) {
    for (size_t i = distance; i < first.words.size() && i - distance < second.words.size(); ++i) {
      if (first.words[i] != second.words[i - distance]) return false;
    }
    return true;
  };
  while (!fits_behind(a, b, distance) && !fits_behind(b, a, distance)) ++distance;
  return distance;
}

uint64_t saturating_add(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

}  // namespace

bool exists(const Segment& segment, const Phrase& a, const Phrase& b, uint64_t window_words) {
  if (a.absent() || b.absent()) return false;
  return join(segment, a, b).next(0, std::min(window_words, kMaxWindow));
}

uint64_t count_documents(const Segment& segment, const Phrase& a, const Phrase& b,
                         uint64_t window_words) {
  if (a.absent() || b.absent()) return 0;
  const uint64_t window = std::min(window_words, kMaxWindow);
  Join both = join(segment, a, b);
  uint64_t documents = 0;
  const Bitmaps& bitmaps = segment.bitmaps();
  if (!bitmaps.find(a.bitmap()) || !bitmaps.find(b.bitmap())) {
    for (uint64_t from = 0; both.next(from, window); from = both.document().end) ++documents;
    return documents;
  }
  // The bitmaps tell exactly which documents hold both, so only long ones have to be looked at.
  const DocumentFilter shared = possible_documents(segment, a, b);
  const Documents& all = segment.documents();
  for (uint32_t i = shared.next(0); i < all.size(); i = shared.next(i + 1)) {
    const DocumentSpan span = all[i];
    documents += span.end - span.start <= window ||
                 (both.next(span.start, window) && both.document().number == i);
  }
  return documents;
}

namespace {

// Answers for `n` windows, all in one walk.
void count_pairs(const Segment& segment, const Phrase& a, const Phrase& b, const uint64_t* windows,
                 size_t n, Cooccurrence* found) {
  if (a.absent() || b.absent()) return;
  const uint64_t least = least_distance(a, b);
  uint64_t nearest = kNever;
  Join both = join(segment, a, b);
  Starts of_a, of_b;
  const uint64_t narrowest = std::min(*std::min_element(windows, windows + n), kMaxWindow);
  for (uint64_t from = 0; both.next(from, kMaxWindow); from = both.document().end) {
    const DocumentSpan document = both.document();
    // Where a window spans a document, the pairs are all there are.
    const uint64_t longest = document.end - document.start;
    uint64_t distance = least, products = 0;
    if (nearest == least && longest <= narrowest) {
      products = both.count_products();
    } else {
      both.collect(of_a, of_b);
      distance = closest(of_a, of_b).distance;
      products = uint64_t{of_a.size()} * of_b.size();
    }
    nearest = std::min(nearest, distance);
    for (size_t i = 0; i < n; ++i) {
      if (distance > windows[i]) continue;
      const uint64_t window = std::min(windows[i], kMaxWindow);
      ++found[i].documents;
      const uint64_t pairs = longest <= window ? products : count_within(of_a, of_b, window);
      found[i].pairs = saturating_add(found[i].pairs, pairs);
    }
  }
  for (size_t i = 0; i < n; ++i) found[i].nearest = nearest;
}

}  // namespace

Cooccurrence cooccurrence(const Segment& segment, const Phrase& a, const Phrase& b,
                          uint64_t window_words) {
  Cooccurrence found;
  count_pairs(segment, a, b, &window_words, 1, &found);
  return found;
}

std::vector<Cooccurrence> cooccurrence_by_window(const Segment& segment, const Phrase& a,
                                                 const Phrase& b,
                                                 const std::vector<uint64_t>& windows_words) {
  std::vector<Cooccurrence> found(windows_words.size());
  count_pairs(segment, a, b, windows_words.data(), found.size(), found.data());
  return found;
}

std::vector<NearestPair> locate_pairs(const Segment& segment, const Phrase& a, const Phrase& b,
                                      uint64_t window_words, size_t limit) {
  std::vector<NearestPair> found;
  if (a.absent() || b.absent()) return found;
  const bool in_order = rarer_first(a, b);
  Join both = join(segment, a, b);
  PhraseCursor again_a(segment.documents(), a), again_b(segment.documents(), b);  // for lengths
  Starts leading, other;
  for (uint64_t from = 0; found.size() < limit && both.next(from, kMaxWindow);
       from = both.document().end) {
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
  return found;
}

}  // namespace averment
