#include "merge.hpp"

#include "inversion.hpp"
#include "vocabulary.hpp"

namespace averment {
namespace {

constexpr uint16_t kNoRank = UINT16_MAX;

// A segment on its way into another.
class Source {
 public:
  // Appends the starts of its kept documents.
  Source(const MergeSource& source, std::vector<uint32_t>& starts) : segment(source.segment) {
    const Documents& documents = segment.documents();
    const uint32_t n = documents.size();
    n_positions = n ? uint64_t{documents[n - 1].end} + 1 : 0;
    if (source.members && source.members->size() != (size_t{n} + 7) / 8) {
      throw QueryError("the members have not one bit for each document of their segment");
    }
    base_ = starts.back();
    for (uint32_t document = 0; document < n; ++document) {
      const bool kept = !source.members || (*source.members)[document / 8] >> document % 8 & 1;
      starts_.push_back(kept ? starts.back() : kNone);
      is_whole &= kept;
      if (!kept) continue;
      const DocumentSpan span = documents[document];
      const uint64_t next = uint64_t{starts.back()} + (span.end - span.start) + 1;
      if (next >= kMaxPositions) throw QueryError("a segment cannot hold more than 2^31 words");
      starts.push_back(static_cast<uint32_t>(next));
    }
  }

  // Ascending positions of the segment become those of the new one; the others are dropped.
  // Returns where they end now; `n_documents` counts what they lie in.
  uint32_t* renumber(uint32_t* begin, uint32_t* end, uint32_t* n_documents = nullptr) const {
    if (begin != end && end[-1] >= n_positions) {
      throw FormatError("a position lies outside of all documents");
    }
    if (is_whole) {
      for (uint32_t* at = begin; at < end; ++at) *at += base_;
      return end;
    }
    uint32_t* out = begin;
    DocumentSpan document{0, 0, 0};
    for (const uint32_t* at = begin; at < end; ++at) {
      const bool is_next = *at >= document.end;
      if (is_next) document = segment.documents().of(*at);
      const bool kept = starts_[document.number] != kNone;
      if (n_documents) *n_documents += kept && is_next;
      if (kept) *out++ = *at - document.start + starts_[document.number];
    }
    return out;
  }

  const Segment& segment;
  bool is_whole = true;
  uint64_t n_positions;

 private:
  uint32_t base_;                 // of the new positions, where all documents are kept
  std::vector<uint32_t> starts_;  // of each document in the new segment, or kNone
};

// What one source has of a list.
struct Share {
  uint32_t source;
  Postings postings;
  const uint32_t* fresh;      // its positions, where the source has no such list
  uint32_t count, documents;  // that are kept
};

// Makes room without clearing what is there already.
uint32_t* room_for(std::vector<uint32_t>& room, size_t n) {
  if (room.size() < n + kBlock) room.resize(n + kBlock);
  return room.data();
}

// The lists of a dictionary, merged.
class MergedLists final : public NewLists {
 public:
  explicit MergedLists(const std::vector<Source>& sources) : sources_(sources) {}

  // Shares of one key are added in the order of the sources.
  void add(uint32_t source, std::string_view key, const Postings& postings,
           const uint32_t* fresh = nullptr) {
    if (postings.count > sources_[source].n_positions) {
      throw FormatError("a list is longer than its segment");
    }
    keys_.add(key);
    shares_.push_back({source, postings, fresh, postings.count, postings.documents});
  }

  // After the last share: what belongs together, and in which order.
  void arrange(unsigned n_threads) {
    recount(n_threads);
    std::vector<uint64_t> hashes;
    hash_all(keys_, hashes);
    order_ = order_by_hash(hashes, [&](uint32_t share) { return std::string(keys_[share]); });
    for (size_t at = 0; at < order_.size();) {
      const size_t first = at;
      const std::string_view key = keys_[order_[first]];
      ListFacts merged;
      for (; at < order_.size() && keys_[order_[at]] == key; ++at) {
        merged.count += shares_[order_[at]].count;
        merged.documents += shares_[order_[at]].documents;
      }
      if (!merged.count) continue;
      facts.push_back(merged);
      spans_.emplace_back(first, at);
    }
  }

  std::string_view key(size_t list) override { return keys_[order_[spans_[list].first]]; }

  Content content(size_t list, bool all_positions, std::vector<uint32_t>& room) const override {
    size_t n = 0;
    for_each_share(list, [&](const Share& share) { n += share.postings.count; });
    uint32_t* const positions = room_for(room, n);
    const Share& head = shares_[order_[spans_[list].first]];
    const bool copied = !head.source && sources_[0].is_whole && !head.fresh;
    uint32_t first_block = copied && !all_positions ? copied_blocks(head.postings) : 0;
    uint32_t* out = positions + first_block * kBlock;
    for_each_share(list, [&](const Share& share) {
      out = read(share, first_block, out);
      first_block = 0;
    });
    if (out != positions + facts[list].count) throw FormatError("a list has not its length");
    return {positions, copied ? &head.postings : nullptr};
  }

  template <class Visit>
  void for_each_share(size_t list, Visit visit) const {
    for (size_t at = spans_[list].first; at < spans_[list].second; ++at) visit(shares_[order_[at]]);
  }

 private:
  uint32_t* read(const Share& share, uint32_t first_block, uint32_t* out,
                 uint32_t* n_documents = nullptr) const {
    if (share.fresh) std::copy_n(share.fresh, share.postings.count, out);
    else read_positions(share.postings, first_block, out);
    uint32_t* end = out + (share.postings.count - first_block * kBlock);
    return sources_[share.source].renumber(out, end, n_documents);
  }

  void recount(unsigned n_threads) {
    constexpr size_t kAtOnce = 4096;
    std::vector<std::vector<uint32_t>> rooms(n_workers(n_threads));
    in_parallel(
        (shares_.size() + kAtOnce - 1) / kAtOnce, n_threads, [&](size_t part, unsigned worker) {
          for (size_t i = part * kAtOnce; i < std::min(shares_.size(), (part + 1) * kAtOnce); ++i) {
            Share& share = shares_[i];
            if (sources_[share.source].is_whole) continue;
            uint32_t* const out = room_for(rooms[worker], share.postings.count);
            share.documents = 0;
            share.count = static_cast<uint32_t>(read(share, 0, out, &share.documents) - out);
          }
        });
  }

  const std::vector<Source>& sources_;
  Words keys_;  // of each share
  std::vector<Share> shares_;
  std::vector<uint32_t> order_;                   // of the shares
  std::vector<std::pair<size_t, size_t>> spans_;  // of each list in `order_`
};

// The frequent words of the new segment, as one source sees them.
struct Frequent {
  struct Word {
    uint32_t rank;  // in the new segment
    Postings postings;
    bool is_new() const { return postings.frequent_rank == kNone; }
  };
  std::vector<Word> words;
  std::vector<uint32_t> new_ranks;  // of the words that are frequent in the source, or kNone
  bool any_new = false;
};

std::vector<Frequent> frequent_in(const std::vector<Source>& sources, const MergedLists& words,
                                  const std::vector<uint32_t>& by_rank) {
  std::vector<Frequent> found(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const uint32_t n_ranks = sources[i].segment.facts().frequent_words;
    if (n_ranks > SegmentWriter::kMaxFrequent) throw FormatError("too many words are frequent");
    found[i].new_ranks.assign(n_ranks, kNone);
  }
  for (uint32_t rank = 0; rank < by_rank.size(); ++rank) {
    words.for_each_share(by_rank[rank], [&](const Share& share) {
      Frequent& frequent = found[share.source];
      const Frequent::Word word{rank, share.postings};
      frequent.words.push_back(word);
      if (word.is_new()) frequent.any_new = true;
      else if (word.postings.frequent_rank >= frequent.new_ranks.size()) {
        throw FormatError("a frequent word has no such rank");
      } else {
        frequent.new_ranks[word.postings.frequent_rank] = rank;
      }
    });
  }
  return found;
}

// The pairs that have no list in the source, since one of their words was not frequent there; the
// key is both ranks.
Inverted fresh_pairs(const Source& source, const Frequent& frequent, uint32_t n_frequent) {
  std::vector<uint32_t> room;
  const auto positions_of = [&](const Frequent::Word& word) {
    uint32_t* const positions = room_for(room, word.postings.count);
    read_positions(word.postings, 0, positions);
    if (positions[word.postings.count - 1] >= source.n_positions) {
      throw FormatError("a position lies outside of all documents");
    }
    return positions;
  };
  std::vector<uint16_t> rank_at(source.n_positions + 2, kNoRank);  // one more on either side
  std::vector<char> is_new(n_frequent);
  for (const Frequent::Word& word : frequent.words) {
    const uint32_t* positions = positions_of(word);
    for (uint32_t i = 0; i < word.postings.count; ++i) {
      rank_at[positions[i] + 1] = static_cast<uint16_t>(word.rank);
    }
    is_new[word.rank] = word.is_new();
  }
  return invert(size_t{n_frequent} * n_frequent, 1, [&](size_t, auto& batch) {
    for (const Frequent::Word& word : frequent.words) {
      if (!word.is_new()) continue;
      const uint32_t* positions = positions_of(word);
      DocumentSpan document{0, 0, 0};
      for (uint32_t i = 0; i < word.postings.count; ++i) {
        const uint32_t at = positions[i];
        if (at >= document.end) document = source.segment.documents().of(at);
        const uint32_t before = rank_at[at], behind = rank_at[at + 2];
        // A pair of two new words is found at the first of them.
        if (before != kNoRank && !is_new[before]) {
          batch.add({before * n_frequent + word.rank, at - 1, document.number});
        }
        if (behind != kNoRank) batch.add({word.rank * n_frequent + behind, at, document.number});
      }
    }
  });
}

void add_known_pairs(uint32_t source, const Segment& segment, const Frequent& frequent,
                     MergedLists& pairs) {
  segment.pairs().for_each([&](const DictionaryEntry& entry) {
    if (entry.key.size() != sizeof(uint32_t)) throw FormatError("a pair has not two ranks");
    const uint32_t both = load<uint32_t>(entry.key.data());
    const uint32_t first = both & UINT16_MAX, second = both >> 16;
    if (std::max(first, second) >= frequent.new_ranks.size()) {
      throw FormatError("a pair has not two ranks");
    }
    const uint32_t new_first = frequent.new_ranks[first], new_second = frequent.new_ranks[second];
    if (new_first == kNone || new_second == kNone) return;
    pairs.add(source, PairKey().of(new_first, new_second), entry.postings);
  });
}

void add_fresh_pairs(uint32_t source, const Inverted& fresh, uint32_t n_frequent,
                     MergedLists& pairs) {
  for (uint32_t pair = 0; pair < fresh.documents.size(); ++pair) {
    Postings postings;
    postings.count = fresh.count(pair);
    postings.documents = fresh.documents[pair];
    if (!postings.count) continue;
    pairs.add(source, PairKey().of(pair / n_frequent, pair % n_frequent), postings, fresh.of(pair));
  }
}

void check_sources(const std::vector<MergeSource>& sources) {
  if (sources.empty()) throw QueryError("there is no segment to merge");
  const Facts& first = sources.front().segment.facts();
  for (const MergeSource& source : sources) {
    const Facts& facts = source.segment.facts();
    if (facts.fold_accents != first.fold_accents ||
        std::strcmp(facts.unicode_version, first.unicode_version)) {
      throw QueryError("the segments to merge do not cut text alike");
    }
    for (const std::string& section : source.segment.verify()) {
      throw FormatError("a segment to merge is damaged in its section '" + section + "'");
    }
  }
}

}  // namespace

Facts merge(const std::vector<MergeSource>& from, const std::string& path,
            const BuildOptions& options_in) {
  check_sources(from);
  BuildOptions options = options_in;
  options.fold_accents = from.front().segment.fold_accents();
  std::vector<uint32_t> starts = {0};
  std::vector<Source> sources;
  for (const MergeSource& source : from) sources.emplace_back(source, starts);
  const auto n_sources = static_cast<uint32_t>(sources.size());
  SegmentWriter writer(path, options, starts, from.front().segment.facts().unicode_version);

  std::vector<Frequent> frequent;
  uint32_t n_frequent = 0;
  {
    MergedLists words(sources);
    for (uint32_t i = 0; i < n_sources; ++i) {
      sources[i].segment.words().for_each(
          [&](const DictionaryEntry& word) { words.add(i, word.key, word.postings); });
    }
    words.arrange(options.n_threads);
    const std::vector<uint32_t> by_rank = writer.rank_frequent(words);
    n_frequent = static_cast<uint32_t>(by_rank.size());
    frequent = frequent_in(sources, words, by_rank);
    writer.write_words(words);
  }

  std::vector<Inverted> fresh(n_sources);
  in_parallel(n_sources, options.n_threads, [&](size_t i, unsigned) {
    if (frequent[i].any_new) fresh[i] = fresh_pairs(sources[i], frequent[i], n_frequent);
  });
  MergedLists pairs(sources);
  for (uint32_t i = 0; i < n_sources; ++i) {
    add_known_pairs(i, sources[i].segment, frequent[i], pairs);
    add_fresh_pairs(i, fresh[i], n_frequent, pairs);
  }
  pairs.arrange(options.n_threads);
  writer.write_pairs(pairs);
  return writer.finish();
}

}  // namespace averment
