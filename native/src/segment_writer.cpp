#include "segment_writer.hpp"

#include <cmath>

namespace averment {
namespace {

constexpr uint16_t kNoRank = UINT16_MAX;
constexpr size_t kMaxFrequent = 2048;  // ranks have 16 bits, and pairs a square table
constexpr size_t kListsAtOnce = 256;   // that a thread packs before it writes

// Some lists, packed by one thread.
struct Packed {
  Bytes records, blocks;
  std::vector<std::pair<size_t, size_t>> ends;  // of each list in both
  std::vector<uint32_t> room;
};

uint64_t n_positions(const NewLists& lists) {
  uint64_t n = 0;
  for (const ListFacts& list : lists.facts) n += list.count;
  return n;
}

}  // namespace

SegmentWriter::SegmentWriter(const std::string& path, const BuildOptions& options,
                             const std::vector<uint32_t>& starts, const char* unicode_version)
    : options_(options),
      file_(path),
      documents_(starts.data(), static_cast<uint32_t>(starts.size() - 1)),
      rank_at_(documents_.n_positions(), kNoRank) {
  facts_.n_documents = documents_.size();
  facts_.fold_accents = options.fold_accents;
  std::strncpy(facts_.unicode_version, unicode_version, sizeof facts_.unicode_version - 1);
  file_.begin(kDocumentStarts);
  file_.write(starts.data(), starts.size() * sizeof(uint32_t));
}

void SegmentWriter::rank_frequent(NewLists& words) {
  if (!options_.frequent_min_count) return;
  const double least =
      std::max<double>({static_cast<double>(options_.frequent_min_count), kFew + 1.0,
                        options_.frequent_min_share * static_cast<double>(facts_.n_words)});
  std::vector<uint32_t> frequent;
  for (uint32_t i = 0; i < words.size(); ++i) {
    if (words.facts[i].count >= least) frequent.push_back(i);
  }
  std::stable_sort(frequent.begin(), frequent.end(), [&](uint32_t a, uint32_t b) {
    return words.facts[a].count > words.facts[b].count;
  });
  if (frequent.size() > kMaxFrequent) frequent.resize(kMaxFrequent);
  for (const uint32_t list : frequent) words.facts[list].frequent_rank = facts_.frequent_words++;
}

void SegmentWriter::write_words(NewLists&& words) {
  facts_.n_words = n_positions(words);
  facts_.n_terms = static_cast<uint32_t>(words.size());
  rank_frequent(words);
  write(words, kWordOffsets, kWordEntries, kWordLists);
}

void SegmentWriter::write(NewLists& lists, Section offsets, Section entries, Section list_section) {
  reserve_bitmaps(lists);
  std::vector<Packed> workers(n_workers(options_.n_threads));
  const auto pack = [&](size_t part, unsigned worker) {
    Packed& packed = workers[worker];
    packed.records.clear(), packed.blocks.clear(), packed.ends.clear();
    const size_t end = std::min(lists.size(), (part + 1) * kListsAtOnce);
    for (size_t i = part * kListsAtOnce; i < end; ++i) {
      const ListFacts& facts = lists.facts[i];
      const bool is_short = facts.count <= kFew, mapped = facts.bitmap != kNone;
      const bool ranked = facts.frequent_rank != kNone;
      const Content content = lists.content(i, is_short || mapped || ranked, packed.room);
      if (mapped) fill_bitmap(facts.bitmap, content, facts.count);
      for (uint32_t at = 0; ranked && at < facts.count; ++at) {
        rank_at_[content.positions[at]] = static_cast<uint16_t>(facts.frequent_rank);
      }
      append_record(facts, content.positions, packed.records);
      if (!is_short) append_blocks(content.positions, facts.count, packed.blocks, content.head);
      packed.ends.emplace_back(packed.records.size(), packed.blocks.size());
    }
  };
  DictionaryWriter dictionary(lists.size());
  const auto write = [&](size_t part, unsigned worker) {
    const Packed& packed = workers[worker];
    size_t i = part * kListsAtOnce, record = 0, block = 0;
    for (const auto& [record_end, block_end] : packed.ends) {
      const Byte* records = packed.records.data();
      dictionary.add(lists.key(i++), {records + record, records + record_end}, block_end - block);
      record = record_end, block = block_end;
    }
    file_.write(packed.blocks.data(), packed.blocks.size());
  };
  file_.begin(list_section);
  in_order((lists.size() + kListsAtOnce - 1) / kListsAtOnce, options_.n_threads, pack, write);
  dictionary.finish();
  file_.begin(entries);
  file_.write(dictionary.entries().data(), dictionary.entries().size());
  file_.begin(offsets);
  file_.write(dictionary.offsets().data(), dictionary.offsets().size() * sizeof(uint32_t));
}

void SegmentWriter::reserve_bitmaps(NewLists& lists) {
  if (!(options_.bitmap_min_share > 0)) return;
  const double least = std::ceil(options_.bitmap_min_share * documents_.size());
  for (ListFacts& list : lists.facts) {
    if (list.count > kFew && list.documents >= least) list.bitmap = facts_.n_bitmaps++;
  }
  bitmaps_.resize(size_t{facts_.n_bitmaps} * Bitmaps::words_per_bitmap(documents_.size()));
}

void SegmentWriter::fill_bitmap(uint32_t number, const Content& content, uint32_t count) {
  uint64_t* bitmap =
      bitmaps_.data() + size_t{number} * Bitmaps::words_per_bitmap(documents_.size());
  uint32_t end = 0;  // of the document found last
  for (uint32_t i = 0; i < count; ++i) {
    if (content.positions[i] < end) continue;
    const DocumentSpan document = documents_.of(content.positions[i]);
    bitmap[document.number / 64] |= uint64_t{1} << document.number % 64;
    end = document.end;
  }
}

Facts SegmentWriter::finish() {
  // The frequent words behind a frequent word; the key is both their ranks.
  const uint32_t n_frequent = facts_.frequent_words;
  PairKey spelled;
  const auto pair_at = [&, ranks = rank_at_.data()](uint32_t position, uint32_t) {
    const uint32_t first = ranks[position], second = ranks[position + 1];
    // subtle: no branch, as it is anybody's guess; what has no key has all bits set.
    const bool none = (first == kNoRank) | (second == kNoRank);
    return (first * n_frequent + second) | (0 - uint32_t{none});
  };
  InvertedLists pairs(
      invert(documents_, size_t{n_frequent} * n_frequent, options_.n_threads, pair_at),
      [&](uint32_t pair) { return spelled.of(pair / n_frequent, pair % n_frequent); });
  facts_.n_pair_occurrences = n_positions(pairs);
  facts_.n_pairs = static_cast<uint32_t>(pairs.size());
  write(pairs, kPairOffsets, kPairEntries, kPairLists);
  file_.begin(kBitmaps);
  file_.write(bitmaps_.data(), bitmaps_.size() * sizeof(uint64_t));
  file_.begin(kFacts);
  file_.write(&facts_, sizeof facts_);
  file_.finish();
  return facts_;
}

}  // namespace averment
