#include "builder.hpp"

#include <algorithm>
#include <utility>

#include "inversion.hpp"
#include "unicode.hpp"

namespace averment {
namespace {

constexpr uint16_t kNoRank = UINT16_MAX;
constexpr unsigned kMaxRanges = 8;  // that are inverted side by side, each with its own counters
constexpr size_t kSliceBytes = 128 * 1024;

// A document or a part of one.
struct Piece {
  std::string_view text;
  bool ends_document;
};

// Pieces in a row, as the words that one thread found in them.
struct Slice {
  Words words;
  std::vector<uint64_t> hashes;
  std::vector<size_t> document_ends;  // as numbers of words
};

// All pieces, and where slices of about equal length end among them.
std::pair<std::vector<Piece>, std::vector<size_t>> in_slices(
    const std::vector<std::string_view>& texts) {
  std::vector<Piece> pieces;
  std::vector<size_t> ends = {0};
  size_t n_bytes = 0;
  for (std::string_view text : texts) {
    bool at_end = false;
    while (!at_end) {
      const std::string_view first = first_part(text, kSliceBytes);
      text.remove_prefix(first.size());
      at_end = text.empty();
      pieces.push_back({first, at_end});
      n_bytes += first.size();
      if (n_bytes < kSliceBytes) continue;
      ends.push_back(pieces.size());
      n_bytes = 0;
    }
  }
  if (n_bytes || ends.back() < pieces.size()) ends.push_back(pieces.size());
  return {std::move(pieces), std::move(ends)};
}

// All words of the documents in a row, as numbers of the vocabulary; where documents start.
class Corpus {
 public:
  Corpus(const uint32_t* ids, const std::vector<uint32_t>& starts, unsigned n_ranges)
      : ids_(ids), starts_(starts) {
    const auto n_documents = static_cast<uint32_t>(starts.size() - 1);
    for (unsigned range = 0; range < n_ranges; ++range) {
      const uint64_t position = uint64_t{starts.back()} * range / n_ranges;
      const auto found = std::lower_bound(starts.begin(), starts.end(), position);
      ranges_.push_back(static_cast<uint32_t>(found - starts.begin()));
    }
    ranges_.push_back(n_documents);
  }

  // Calls visit(document, start, end, ids) for the documents of a range.
  template <class Visit>
  void for_each(size_t range, Visit visit) const {
    for (uint32_t document = ranges_[range]; document < ranges_[range + 1]; ++document) {
      const uint32_t start = starts_[document];
      visit(document, start, starts_[document + 1] - 1, ids_ + (start - document));
    }
  }

 private:
  const uint32_t* ids_;
  const std::vector<uint32_t>& starts_;
  std::vector<uint32_t> ranges_;  // the first document of each, and the end
};

// The lists of some keys of an inversion, ordered.
template <class KeyOf>
class InvertedLists final : public NewLists {
 public:
  InvertedLists(const Inverted& inverted, std::vector<uint32_t> order, KeyOf key_of)
      : inverted_(inverted), order_(std::move(order)), key_of_(key_of) {
    for (const uint32_t key : order_) {
      facts.push_back({inverted_.count(key), inverted_.documents[key]});
    }
  }

  uint32_t operator[](size_t list) const { return order_[list]; }
  std::string_view key(size_t list) override { return key_of_(order_[list]); }
  Content content(size_t list, bool, std::vector<uint32_t>&) const override {
    constexpr size_t kAhead = 8;
    const size_t n = order_.size();
    if (list + 2 * kAhead < n) __builtin_prefetch(&inverted_.starts[order_[list + 2 * kAhead]]);
    if (list + kAhead < n) __builtin_prefetch(inverted_.of(order_[list + kAhead]));
    return {inverted_.of(order_[list]), nullptr};
  }

 private:
  const Inverted& inverted_;
  std::vector<uint32_t> order_;
  KeyOf key_of_;
};

// Which words are frequent: small, as it is read for every word.
struct Ranks {
  std::vector<uint16_t> of;  // each word, or kNoRank
  uint32_t n_frequent = 0;
};

Ranks write_words(SegmentWriter& writer, const Corpus& corpus, const Vocabulary& vocabulary,
                  unsigned n_ranges) {
  const Inverted inverted = invert(vocabulary.size(), n_ranges, [&](size_t range, auto& batch) {
    corpus.for_each(range, [&](uint32_t document, uint32_t at, uint32_t end, const uint32_t* id) {
      while (at < end) batch.add({*id++, at++, document});
    });
  });
  const auto key_of = [&](uint32_t id) { return vocabulary[id]; };
  std::vector<uint32_t> order =
      order_by_hash(vocabulary.hashes(), [&](uint32_t id) { return std::string(vocabulary[id]); });
  // A document that was refused leaves words that no other has.
  const auto is_gone = [&](uint32_t id) { return !inverted.count(id); };
  order.erase(std::remove_if(order.begin(), order.end(), is_gone), order.end());
  InvertedLists words(inverted, std::move(order), key_of);
  Ranks ranks{std::vector<uint16_t>(vocabulary.size(), kNoRank)};
  for (const uint32_t list : writer.rank_frequent(words)) {
    ranks.of[words[list]] = static_cast<uint16_t>(ranks.n_frequent++);
  }
  writer.write_words(words);
  return ranks;
}

// The frequent words behind a frequent word; the key is both their ranks.
void write_pairs(SegmentWriter& writer, const Corpus& corpus, const Ranks& ranks,
                 unsigned n_ranges) {
  const uint32_t n_frequent = ranks.n_frequent;
  const size_t n_keys = size_t{n_frequent} * n_frequent;
  const Inverted inverted = invert(n_keys, n_ranges, [&](size_t range, auto& batch) {
    if (!n_keys) return;
    corpus.for_each(range, [&](uint32_t document, uint32_t at, uint32_t end, const uint32_t* id) {
      uint32_t before = kNoRank;
      for (; at < end; ++at) {
        const uint32_t rank = ranks.of[*id++];
        batch.add({before * n_frequent + rank, at - 1, document},
                  (rank != kNoRank) & (before != kNoRank));
        before = rank;
      }
    });
  });
  std::vector<uint32_t> found;
  std::vector<uint64_t> hashes;
  PairKey key;
  const auto key_of = [&](uint32_t pair) { return key.of(pair / n_frequent, pair % n_frequent); };
  for (uint32_t pair = 0; pair < n_keys; ++pair) {
    if (!inverted.count(pair)) continue;
    found.push_back(pair);
    hashes.push_back(hash_word(key_of(pair)));
  }
  std::vector<uint32_t> order =
      order_by_hash(hashes, [&](uint32_t i) { return std::string(key_of(found[i])); });
  for (uint32_t& pair : order) pair = found[pair];
  InvertedLists pairs(inverted, std::move(order), key_of);
  writer.write_pairs(pairs);
}

}  // namespace

std::vector<uint64_t> SegmentBuilder::add_many(const std::vector<std::string_view>& texts) {
  const auto [pieces, ends] = in_slices(texts);
  std::vector<uint64_t> n_words;
  std::vector<Slice> slices(n_workers(options_.n_threads));
  const auto cut = [&, &pieces = pieces, &ends = ends](size_t part, unsigned worker) {
    Slice& slice = slices[worker];
    slice.words.clear(), slice.document_ends.clear();
    for (size_t i = ends[part]; i < ends[part + 1]; ++i) {
      tokenize_all(pieces[i].text, options_.fold_accents, slice.words);
      if (pieces[i].ends_document) slice.document_ends.push_back(slice.words.size());
    }
    hash_all(slice.words, slice.hashes);
  };
  const auto number = [&](size_t, unsigned worker) {
    const Slice& slice = slices[worker];
    const size_t before = ids_.size();
    vocabulary_.number(slice.words, slice.hashes, ids_.extend(slice.words.size()));
    for (const size_t end : slice.document_ends) {
      const size_t start = starts_.back() - n_documents();
      const uint64_t next = starts_.back() + (before + end - start) + 1;
      if (next >= kMaxPositions) throw QueryError("a segment cannot hold more than 2^31 words");
      n_words.push_back(before + end - start);
      starts_.push_back(static_cast<uint32_t>(next));
    }
  };
  try {
    in_order(ends.size() - 1, options_.n_threads, cut, number);
  } catch (...) {
    ids_.shrink(starts_.back() - n_documents());
    throw;
  }
  return n_words;
}

Facts SegmentBuilder::finish(const std::string& path) {
  SegmentBuilder taken(options_);
  std::swap(taken, *this);
  SegmentWriter writer(path, options_, taken.starts_, unicode_version);
  const unsigned n_ranges = std::min(n_workers(options_.n_threads), kMaxRanges);
  const Corpus corpus(taken.ids_.data(), taken.starts_, n_ranges);
  const Ranks ranks = write_words(writer, corpus, taken.vocabulary_, n_ranges);
  write_pairs(writer, corpus, ranks, n_ranges);
  return writer.finish();
}

}  // namespace averment
