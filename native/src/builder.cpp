#include "builder.hpp"

#include <utility>

#include "unicode.hpp"

namespace averment {
namespace {

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

// All documents in slices of about equal length.
std::vector<std::vector<Piece>> in_slices(const std::vector<std::string_view>& texts) {
  std::vector<std::vector<Piece>> slices;
  size_t room = 0;
  for (std::string_view text : texts) {
    do {
      if (!room) slices.emplace_back(), room = kSliceBytes;
      const std::string_view part = first_part(text, room);
      text.remove_prefix(part.size());
      room -= std::min(room, part.size());
      slices.back().push_back({part, text.empty()});
    } while (!text.empty());
  }
  return slices;
}

}  // namespace

std::vector<uint64_t> SegmentBuilder::add_many(const std::vector<std::string_view>& texts) {
  const std::vector<std::vector<Piece>> pieces = in_slices(texts);
  std::vector<uint64_t> n_words;
  std::vector<Slice> slices(n_workers(options_.n_threads));
  const auto cut = [&](size_t part, unsigned worker) {
    Slice& slice = slices[worker];
    slice.words.clear(), slice.document_ends.clear();
    for (const Piece& piece : pieces[part]) {
      tokenize_all(piece.text, options_.fold_accents, slice.words);
      if (piece.ends_document) slice.document_ends.push_back(slice.words.size());
    }
    hash_all(slice.words, slice.hashes);
  };
  const auto number = [&](size_t, unsigned worker) {
    const Slice& slice = slices[worker];
    const size_t before = ids_.size();
    ids_.resize(before + slice.words.size());
    vocabulary_.number(slice.words, slice.hashes, ids_.data() + before);
    for (const size_t end : slice.document_ends) {
      const size_t start = starts_.back() - n_documents();
      append_start(starts_, before + end - start);
      n_words.push_back(before + end - start);
    }
  };
  try {
    in_order(pieces.size(), options_.n_threads, cut, number);
  } catch (...) {
    ids_.resize(starts_.back() - n_documents());
    throw;
  }
  return n_words;
}

Facts SegmentBuilder::finish(const std::string& path) {
  SegmentBuilder taken(options_);
  std::swap(taken, *this);
  SegmentWriter writer(path, options_, taken.starts_, unicode_version);
  const Documents documents(taken.starts_.data(), static_cast<uint32_t>(taken.n_documents()));
  const auto id_at = [ids = taken.ids_.data()](uint32_t position, uint32_t document) {
    return ids[position - document];
  };
  Inverted inverted = invert(documents, taken.vocabulary_.size(), options_.n_threads, id_at);
  taken.ids_ = std::vector<uint32_t>();  // frees them
  // Words of a document that was refused, which no other has, get no list.
  const auto word_of = [&](uint32_t id) { return taken.vocabulary_[id]; };
  writer.write_words(InvertedLists(std::move(inverted), word_of));
  return writer.finish();
}

}  // namespace averment
