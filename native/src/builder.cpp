#include "builder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dictionary.hpp"
#include "documents.hpp"
#include "unicode.hpp"

namespace averment {
namespace {

constexpr uint64_t kMaxPositions = uint64_t{1} << 31;
constexpr size_t kMaxFrequent = 2048;  // their pairs are counted in a square table
constexpr uint16_t kNoRank = UINT16_MAX;
constexpr size_t kChunkBytes = 64 * 1024;

// Positions grouped by key, ascending.
struct Inverted {
  struct Key {
    uint32_t end = 0;  // where in `positions` those of this key end
    uint32_t count = 0;
    uint32_t documents = 0;
    uint32_t last_document = kNone;
  };
  std::vector<Key> keys;
  std::vector<uint32_t> positions;

  const uint32_t* of(uint32_t key) const {
    return positions.data() + (keys[key].end - keys[key].count);
  }
};

struct Word {
  uint32_t key, position, document;
};

// Hands words on some steps after it gets them, and announces them before: what they touch is
// anywhere in memory, and is there by then.
template <class Announce, class Visit>
class Delayed {
 public:
  Delayed(Announce announce, Visit visit) : announce_(announce), visit_(visit) {}
  void operator()(Word word) {
    announce_(word);
    Word& slot = waiting_[n_++ % kSteps];
    if (n_ > kSteps) visit_(slot);
    slot = word;
  }
  void finish() {
    for (size_t i = n_ > kSteps ? n_ - kSteps : 0; i < n_; ++i) visit_(waiting_[i % kSteps]);
  }

 private:
  static constexpr size_t kSteps = 16;
  Announce announce_;
  Visit visit_;
  Word waiting_[kSteps];
  size_t n_ = 0;
};

// A counting sort. `for_each(visit)` calls visit(Word) in ascending order of positions; it is
// called twice.
template <class ForEach>
Inverted invert(size_t n_keys, ForEach for_each) {
  Inverted lists;
  lists.keys.resize(n_keys);
  std::vector<Inverted::Key>& keys = lists.keys;
  const auto fetch_key = [&](const Word& word) { __builtin_prefetch(&keys[word.key], 1); };
  Delayed count(fetch_key, [&](const Word& word) {
    Inverted::Key& key = keys[word.key];
    ++key.count;
    if (key.last_document != word.document) key.last_document = word.document, ++key.documents;
  });
  for_each(count);
  count.finish();
  uint32_t total = 0;  // less than kMaxPositions
  for (Inverted::Key& key : keys) key.end = total, total += key.count;
  lists.positions.resize(total);
  // `end` is where the key starts now, and moves as its positions are filled in.
  Delayed fill(
      [&](const Word& word) { __builtin_prefetch(&lists.positions[keys[word.key].end], 1); },
      [&](const Word& word) { lists.positions[keys[word.key].end++] = word.position; });
  Delayed announced(fetch_key, [&](const Word& word) { fill(word); });
  for_each(announced);
  announced.finish();
  fill.finish();
  return lists;
}

// The sections of a dictionary and its lists.
struct DictionarySections {
  Section offsets, entries, lists;
};

// Collects the bitmaps of documents, for words and pairs alike.
class BitmapWriter {
 public:
  BitmapWriter(const std::vector<uint32_t>& starts, double min_share)
      : documents_(starts.data(), static_cast<uint32_t>(starts.size() - 1)),
        stride_(Bitmaps::words_per_bitmap(documents_.size())),
        min_documents_(min_share > 0 ? std::ceil(min_share * documents_.size()) : HUGE_VAL) {}

  // The number of the bitmap of a list, or kNone if it is not dense enough for one.
  uint32_t add(const uint32_t* positions, const Postings& postings) {
    if (postings.count <= kFew || postings.documents < min_documents_) return kNone;
    bits_.resize(bits_.size() + stride_);
    uint64_t* bitmap = bits_.data() + bits_.size() - stride_;
    for (uint32_t i = 0; i < postings.count; ++i) {
      const uint32_t document = documents_.of(positions[i]).number;
      bitmap[document / 64] |= uint64_t{1} << document % 64;
    }
    return n_++;
  }

  uint32_t size() const { return n_; }
  const std::vector<uint64_t>& bits() const { return bits_; }

 private:
  Documents documents_;
  uint32_t stride_;
  double min_documents_;
  uint32_t n_ = 0;
  std::vector<uint64_t> bits_;
};

// Writes lists and dictionary. `order` are the keys by (hash, spelling).
template <class KeyOf, class RankOf>
void write_dictionary(FileWriter& file, DictionarySections sections, const Inverted& inverted,
                      const std::vector<uint32_t>& order, KeyOf key_of, RankOf rank_of,
                      BitmapWriter& bitmaps) {
  DictionaryWriter dictionary(order.size());
  Bytes record, blocks;
  file.begin(sections.lists);
  for (size_t i = 0; i < order.size(); ++i) {
    constexpr size_t kAhead = 8;
    if (i + 2 * kAhead < order.size()) __builtin_prefetch(&inverted.keys[order[i + 2 * kAhead]]);
    if (i + kAhead < order.size()) __builtin_prefetch(inverted.of(order[i + kAhead]));
    const uint32_t id = order[i];
    const uint32_t* positions = inverted.of(id);
    Postings postings;
    postings.count = inverted.keys[id].count;
    postings.documents = inverted.keys[id].documents;
    postings.frequent_rank = rank_of(id);
    postings.bitmap = bitmaps.add(positions, postings);
    record.clear();
    append_record(postings, positions, record);
    const size_t before = blocks.size();
    if (postings.count > kFew) append_blocks(positions, postings.count, blocks);
    const std::string_view key = key_of(id);
    dictionary.add(key, hash_word(key), record, blocks.size() - before);
    if (blocks.size() >= 16 * kChunkBytes) {
      file.write(blocks.data(), blocks.size());
      blocks.clear();
    }
  }
  file.write(blocks.data(), blocks.size());
  dictionary.finish();
  file.begin(sections.entries);
  file.write(dictionary.entries().data(), dictionary.entries().size());
  file.begin(sections.offsets);
  file.write(dictionary.offsets().data(), dictionary.offsets().size() * sizeof(uint32_t));
}

template <class KeyOf>
void sort_by_hash(std::vector<uint32_t>& ids, KeyOf key_of) {
  std::vector<std::pair<uint64_t, uint32_t>> hashed;
  hashed.reserve(ids.size());
  for (const uint32_t id : ids) hashed.emplace_back(hash_word(key_of(id)), id);
  std::sort(hashed.begin(), hashed.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return std::string(key_of(a.second)) < std::string(key_of(b.second));
  });
  std::transform(hashed.begin(), hashed.end(), ids.begin(),
                 [](const auto& one) { return one.second; });
}

// The most frequent words, most frequent first; at most kMaxFrequent.
std::vector<uint32_t> frequent_words(const Inverted& words, const std::vector<uint32_t>& order,
                                     uint64_t n_words, const BuildOptions& options) {
  if (!options.frequent_min_count) return {};
  const double least =
      std::max<double>({static_cast<double>(options.frequent_min_count), kFew + 1.0,
                        options.frequent_min_share * static_cast<double>(n_words)});
  std::vector<uint32_t> frequent;
  std::copy_if(order.begin(), order.end(), std::back_inserter(frequent),
               [&](uint32_t id) { return words.keys[id].count >= least; });
  std::stable_sort(frequent.begin(), frequent.end(), [&](uint32_t a, uint32_t b) {
    return words.keys[a].count > words.keys[b].count;
  });
  if (frequent.size() > kMaxFrequent) frequent.resize(kMaxFrequent);
  return frequent;
}

}  // namespace

uint64_t SegmentBuilder::add(std::string_view text) {
  const size_t before = ids_.size();
  const Byte* at = reinterpret_cast<const Byte*>(text.data());
  const Byte* end = at + text.size();
  try {
    while (at < end) {
      words_.clear();
      at = tokenize(at, end, options_.fold_accents, kChunkBytes, words_);
      vocabulary_.number(words_, ids_);
    }
    const uint64_t next = starts_.back() + (ids_.size() - before) + 1;
    if (next >= kMaxPositions) throw QueryError("a segment cannot hold more than 2^31 words");
    starts_.push_back(static_cast<uint32_t>(next));
  } catch (...) {
    ids_.resize(before);
    throw;
  }
  return ids_.size() - before;
}

Facts SegmentBuilder::finish(const std::string& path) {
  SegmentBuilder taken(options_);
  std::swap(taken, *this);
  const auto& [options, vocabulary, unused, ids, starts] = taken;

  Facts facts;
  facts.n_words = ids.size();
  facts.n_documents = static_cast<uint32_t>(starts.size() - 1);
  facts.n_terms = static_cast<uint32_t>(vocabulary.size());
  facts.fold_accents = options.fold_accents;
  std::strncpy(facts.unicode_version, unicode_version, sizeof facts.unicode_version - 1);

  FileWriter file(path);
  file.begin(kDocumentStarts);
  file.write(starts.data(), starts.size() * sizeof(uint32_t));
  BitmapWriter bitmaps(starts, options.bitmap_min_share);

  std::vector<uint16_t> ranks(vocabulary.size(), kNoRank);  // small, as it is read for every word
  std::vector<uint32_t> frequent;
  {
    const Inverted words =
        invert(vocabulary.size(), [&, &ids = ids, &starts = starts](auto& visit) {
          const uint32_t* id = ids.data();
          for (uint32_t document = 0; document + 1 < starts.size(); ++document) {
            for (uint32_t at = starts[document]; at + 1 < starts[document + 1]; ++at) {
              visit(Word{*id++, at, document});
            }
          }
        });
    const auto spelling = [&vocabulary = vocabulary](uint32_t id) { return vocabulary[id]; };
    std::vector<uint32_t> order(vocabulary.size());
    std::iota(order.begin(), order.end(), 0);
    sort_by_hash(order, spelling);
    frequent = frequent_words(words, order, facts.n_words, options);
    for (uint32_t rank = 0; rank < frequent.size(); ++rank)
      ranks[frequent[rank]] = static_cast<uint16_t>(rank);
    write_dictionary(
        file, {kWordOffsets, kWordEntries, kWordLists}, words, order, spelling,
        [&](uint32_t id) { return ranks[id] == kNoRank ? kNone : ranks[id]; }, bitmaps);
  }
  facts.frequent_words = static_cast<uint32_t>(frequent.size());

  const uint32_t n_frequent = facts.frequent_words;
  const Inverted pairs = invert(
      static_cast<size_t>(n_frequent) * n_frequent, [&, &ids = ids, &starts = starts](auto& visit) {
        const uint32_t* id = ids.data();
        for (uint32_t document = 0; n_frequent && document + 1 < starts.size(); ++document) {
          uint32_t before = kNoRank;
          for (uint32_t at = starts[document]; at + 1 < starts[document + 1]; ++at) {
            const uint32_t rank = ranks[*id++];
            if (rank != kNoRank && before != kNoRank)
              visit(Word{before * n_frequent + rank, at - 1, document});
            before = rank;
          }
        }
      });
  std::vector<uint32_t> order;
  for (uint32_t pair = 0; pair < pairs.keys.size(); ++pair) {
    if (pairs.keys[pair].count) order.push_back(pair);
  }
  PairKey key;
  const auto key_of = [&](uint32_t pair) { return key.of(pair / n_frequent, pair % n_frequent); };
  sort_by_hash(order, key_of);
  write_dictionary(
      file, {kPairOffsets, kPairEntries, kPairLists}, pairs, order, key_of,
      [](uint32_t) { return kNone; }, bitmaps);
  facts.n_pairs = static_cast<uint32_t>(order.size());
  facts.n_pair_occurrences = pairs.positions.size();

  facts.n_bitmaps = bitmaps.size();
  file.begin(kBitmaps);
  file.write(bitmaps.bits().data(), bitmaps.bits().size() * sizeof(uint64_t));
  file.begin(kFacts);
  file.write(&facts, sizeof facts);
  file.finish();
  return facts;
}

}  // namespace averment
