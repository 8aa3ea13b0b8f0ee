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

// All words of the documents in a row, as numbers of the vocabulary; where documents start.
struct Corpus {
  const std::vector<uint32_t>& ids;
  const std::vector<uint32_t>& starts;
  uint32_t n_documents() const { return static_cast<uint32_t>(starts.size() - 1); }
};

// A word or a pair of words in a document.
struct Word {
  uint32_t key, position, document;
};

// Words are handed on in batches, so that what they touch in memory is under way some words before.
class Batch {
 public:
  // Where to write the next word; it is kept if `keep`.
  Word& next() { return words_[n_]; }
  template <class Take>
  void keep(bool keep, Take& take) {
    n_ += keep;
    if (n_ == kRoom) finish(take);
  }
  template <class Take>
  void finish(Take& take) {
    take(words_, n_);
    n_ = 0;
  }

 private:
  static constexpr size_t kRoom = 1024;
  Word words_[kRoom];
  size_t n_ = 0;
};

template <class Take>
void for_each_word(const Corpus& corpus, Take& take) {
  Batch batch;
  const uint32_t* id = corpus.ids.data();
  for (uint32_t document = 0; document < corpus.n_documents(); ++document) {
    for (uint32_t at = corpus.starts[document]; at + 1 < corpus.starts[document + 1]; ++at) {
      batch.next() = {*id++, at, document};
      batch.keep(true, take);
    }
  }
  batch.finish(take);
}

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

// A counting sort. `for_each(take)` calls take(words, n) for all words in ascending order of their
// positions; it is called twice.
template <class ForEach>
Inverted invert(size_t n_keys, ForEach for_each) {
  constexpr size_t kAhead = 16;
  Inverted lists;
  lists.keys.resize(n_keys);
  std::vector<Inverted::Key>& keys = lists.keys;
  const auto count = [&](const Word* words, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) __builtin_prefetch(&keys[words[i + kAhead].key], 1);
      Inverted::Key& key = keys[words[i].key];
      ++key.count;
      key.documents += key.last_document != words[i].document;
      key.last_document = words[i].document;
    }
  };
  for_each(count);
  uint32_t total = 0;  // less than kMaxPositions
  for (Inverted::Key& key : keys) key.end = total, total += key.count;
  lists.positions.resize(total);
  // `end` is where the key starts now, and moves as its positions are filled in.
  const auto fill = [&](const Word* words, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      if (i + 2 * kAhead < n) __builtin_prefetch(&keys[words[i + 2 * kAhead].key], 1);
      if (i + kAhead < n) {
        __builtin_prefetch(lists.positions.data() + keys[words[i + kAhead].key].end, 1);
      }
      lists.positions[keys[words[i].key].end++] = words[i].position;
    }
  };
  for_each(fill);
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

// Which words are frequent: small, as it is read for every word.
struct Ranks {
  std::vector<uint16_t> of;  // each word, or kNoRank
  uint32_t n_frequent = 0;
};

Ranks write_words(FileWriter& file, const Corpus& corpus, const Vocabulary& vocabulary,
                  const BuildOptions& options, BitmapWriter& bitmaps) {
  const Inverted words =
      invert(vocabulary.size(), [&](auto& take) { for_each_word(corpus, take); });
  const auto spelling = [&](uint32_t id) { return vocabulary[id]; };
  std::vector<uint32_t> order(vocabulary.size());
  std::iota(order.begin(), order.end(), 0);
  sort_by_hash(order, spelling);
  Ranks ranks{std::vector<uint16_t>(vocabulary.size(), kNoRank)};
  for (const uint32_t id : frequent_words(words, order, corpus.ids.size(), options)) {
    ranks.of[id] = static_cast<uint16_t>(ranks.n_frequent++);
  }
  const auto rank_of = [&](uint32_t id) { return ranks.of[id] == kNoRank ? kNone : ranks.of[id]; };
  write_dictionary(file, {kWordOffsets, kWordEntries, kWordLists}, words, order, spelling, rank_of,
                   bitmaps);
  return ranks;
}

// The frequent words behind a frequent word; the key is both their ranks.
template <class Take>
void for_each_pair(const Corpus& corpus, const Ranks& ranks, Take& take) {
  Batch batch;
  const uint32_t* id = corpus.ids.data();
  for (uint32_t document = 0; document < corpus.n_documents(); ++document) {
    uint32_t before = kNoRank;
    for (uint32_t at = corpus.starts[document]; at + 1 < corpus.starts[document + 1]; ++at) {
      // Written always: half of all words belong to a pair, and no branch can guess which.
      const uint32_t rank = ranks.of[*id++];
      batch.next() = {before * ranks.n_frequent + rank, at - 1, document};
      batch.keep((rank != kNoRank) & (before != kNoRank), take);
      before = rank;
    }
  }
  batch.finish(take);
}

void write_pairs(FileWriter& file, const Corpus& corpus, const Ranks& ranks, BitmapWriter& bitmaps,
                 Facts& facts) {
  const size_t n_keys = static_cast<size_t>(ranks.n_frequent) * ranks.n_frequent;
  const Inverted pairs = invert(n_keys, [&](auto& take) {
    if (n_keys) for_each_pair(corpus, ranks, take);
  });
  std::vector<uint32_t> order;
  for (uint32_t pair = 0; pair < n_keys; ++pair) {
    if (pairs.keys[pair].count) order.push_back(pair);
  }
  PairKey key;
  const auto key_of = [&](uint32_t pair) {
    return key.of(pair / ranks.n_frequent, pair % ranks.n_frequent);
  };
  sort_by_hash(order, key_of);
  const auto no_rank = [](uint32_t) { return kNone; };
  write_dictionary(file, {kPairOffsets, kPairEntries, kPairLists}, pairs, order, key_of, no_rank,
                   bitmaps);
  facts.n_pairs = static_cast<uint32_t>(order.size());
  facts.n_pair_occurrences = pairs.positions.size();
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
  const Corpus corpus{taken.ids_, taken.starts_};
  const Vocabulary& vocabulary = taken.vocabulary_;

  Facts facts;
  facts.n_words = corpus.ids.size();
  facts.n_documents = corpus.n_documents();
  facts.n_terms = static_cast<uint32_t>(vocabulary.size());
  facts.fold_accents = options_.fold_accents;
  std::strncpy(facts.unicode_version, unicode_version, sizeof facts.unicode_version - 1);

  FileWriter file(path);
  file.begin(kDocumentStarts);
  file.write(corpus.starts.data(), corpus.starts.size() * sizeof(uint32_t));
  BitmapWriter bitmaps(corpus.starts, options_.bitmap_min_share);
  const Ranks ranks = write_words(file, corpus, vocabulary, options_, bitmaps);
  facts.frequent_words = ranks.n_frequent;
  write_pairs(file, corpus, ranks, bitmaps, facts);

  facts.n_bitmaps = bitmaps.size();
  file.begin(kBitmaps);
  file.write(bitmaps.bits().data(), bitmaps.bits().size() * sizeof(uint64_t));
  file.begin(kFacts);
  file.write(&facts, sizeof facts);
  file.finish();
  return facts;
}

}  // namespace averment
