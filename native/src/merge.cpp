#include "merge.hpp"

#include <numeric>

#include "tokenizer.hpp"

namespace averment {
namespace {

// A segment on its way into another.
class Source {
 public:
  // Appends the starts of its kept documents.
  Source(const Segment& source, std::vector<uint32_t>& starts)
      : segment(source), base_(starts.back()) {
    const Documents& documents = segment.documents();
    for (uint32_t document = 0; document < documents.size(); ++document) {
      const bool kept = !segment.members() || segment.members()->has(document);
      starts_.push_back(kept ? starts.back() : kNone);
      is_whole &= kept;
      if (kept) append_start(starts, documents[document].end - documents[document].start);
    }
  }

  // Ascending positions of the segment become those of the new one; the others are dropped.
  // Returns where they end now; `n_documents` counts what they lie in.
  uint32_t* renumber(uint32_t* begin, uint32_t* end, uint32_t* n_documents = nullptr) const {
    if (begin != end && end[-1] >= segment.documents().n_positions()) {
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

 private:
  uint32_t base_;                 // of the new positions, where all documents are kept
  std::vector<uint32_t> starts_;  // of each document in the new segment, or kNone
};

// What one source has of a list.
struct Share {
  uint32_t source;
  Postings postings;
  uint32_t count, documents;  // that are kept
};

// Makes room without clearing what is there already.
uint32_t* room_for(std::vector<uint32_t>& room, size_t n) {
  if (room.size() < n + kBlock) room.resize(n + kBlock);
  return room.data();
}

// The words of all sources.
class MergedWords final : public NewLists {
 public:
  MergedWords(const std::vector<Source>& sources, unsigned n_threads) : sources_(sources) {
    for (uint32_t i = 0; i < sources.size(); ++i) {
      const Documents& documents = sources[i].segment.documents();
      sources[i].segment.words().for_each([&](const auto& word) {
        const Postings postings = word.postings();
        if (postings.count > documents.n_positions()) {
          throw FormatError("a list is longer than its segment");
        }
        keys_.add(word.key());
        shares_.push_back({i, postings, postings.count, postings.documents});
      });
    }
    recount(n_threads);
    order_.resize(shares_.size());
    std::iota(order_.begin(), order_.end(), 0);
    sort_by_hash(order_, [&](uint32_t share) { return keys_[share]; });
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

  std::string_view key(size_t list) const override { return keys_[order_[spans_[list].first]]; }

  Content content(size_t list, bool all_positions, std::vector<uint32_t>& room) const override {
    const auto [first, last] = spans_[list];
    size_t n = 0;
    for (size_t at = first; at < last; ++at) n += shares_[order_[at]].postings.count;
    uint32_t* const positions = room_for(room, n);
    const Share& head = shares_[order_[first]];
    const bool copied = !head.source && sources_[0].is_whole;
    uint32_t first_block = copied && !all_positions ? copied_blocks(head.postings) : 0;
    uint32_t* out = positions + first_block * kBlock;
    for (size_t at = first; at < last; ++at) {
      out = read(shares_[order_[at]], first_block, out);
      first_block = 0;
    }
    if (out != positions + facts[list].count) throw FormatError("a list has not its length");
    return {positions, copied ? &head.postings : nullptr};
  }

 private:
  uint32_t* read(const Share& share, uint32_t first_block, uint32_t* out,
                 uint32_t* n_documents = nullptr) const {
    read_positions(share.postings, first_block, out);
    uint32_t* end = out + (share.postings.count - first_block * kBlock);
    return sources_[share.source].renumber(out, end, n_documents);
  }

  // Where documents are dropped, how many positions and documents are kept.
  void recount(unsigned n_threads) {
    constexpr size_t kAtOnce = 4096;
    std::vector<std::vector<uint32_t>> rooms(n_workers(n_threads));
    in_parallel(shares_.size(), kAtOnce, n_threads, [&](size_t i, unsigned worker) {
      Share& share = shares_[i];
      if (sources_[share.source].is_whole) return;
      uint32_t* const out = room_for(rooms[worker], share.postings.count);
      share.documents = 0;
      share.count = static_cast<uint32_t>(read(share, 0, out, &share.documents) - out);
    });
  }

  const std::vector<Source>& sources_;
  Words keys_;  // of each share
  std::vector<Share> shares_;
  std::vector<uint32_t> order_;                   // of the shares
  std::vector<std::pair<size_t, size_t>> spans_;  // of each list in `order_`
};

void check_sources(const std::vector<Segment>& sources) {
  if (sources.empty()) throw QueryError("there is no segment to merge");
  const Facts& first = sources.front().facts();
  for (const Segment& source : sources) {
    const Facts& facts = source.facts();
    if (facts.fold_accents != first.fold_accents ||
        std::strcmp(facts.unicode_version, first.unicode_version)) {
      throw QueryError("the segments to merge do not cut text alike");
    }
    for (const std::string& section : source.verify()) {
      throw FormatError("a segment to merge is damaged in its section '" + section + "'");
    }
  }
}

}  // namespace

Facts merge(const std::vector<Segment>& from, const std::string& path,
            const BuildOptions& options_in) {
  check_sources(from);
  BuildOptions options = options_in;
  options.fold_accents = from.front().fold_accents();
  std::vector<uint32_t> starts = {0};
  std::vector<Source> sources;
  for (const Segment& source : from) sources.emplace_back(source, starts);
  SegmentWriter writer(path, options, starts, from.front().facts().unicode_version);
  writer.write_words(MergedWords(sources, options.n_threads));
  return writer.finish();
}

}  // namespace averment
