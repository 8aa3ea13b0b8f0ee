#include "segment.hpp"

#include <algorithm>

namespace averment {

Segment::Segment(const std::string& path) : file_(std::make_shared<const File>(path)) {}

Segment Segment::among(std::string_view members) const {
  Segment some = *this;
  some.members_ = std::make_shared<const DocumentSet>(documents().size(), members, members_.get());
  return some;
}

Segment::File::File(const std::string& path) : bytes(path) {
  const Reader raw = bytes.checked(kFacts);
  if (raw.left() != sizeof(Facts)) throw FormatError(bytes.what(kFacts, "has an odd length"));
  facts = load<Facts>(raw.at);
  facts.unicode_version[sizeof facts.unicode_version - 1] = 0;

  size_t n = 0;
  const uint32_t* starts =
      bytes.array<uint32_t>(kDocumentStarts, bytes.checked(kDocumentStarts), n);
  bool ascending = n == facts.n_documents + uint64_t{1} && starts[0] == 0;
  for (size_t i = 1; ascending && i < n; ++i) ascending = starts[i - 1] < starts[i];
  // subtle: no writer makes larger positions, and with such as need 32 bits shifts go round.
  if (!ascending || starts[n - 1] >= kMaxPositions) {
    throw FormatError(bytes.what(kDocumentStarts, "is not in order"));
  }
  documents = Documents(starts, facts.n_documents);

  words = open_dictionary(kWordOffsets, kWordEntries, kWordLists);
  pairs = open_dictionary(kPairOffsets, kPairEntries, kPairLists);

  const uint64_t* bits = bytes.array<uint64_t>(kBitmaps, bytes.section(kBitmaps), n);
  if (n != uint64_t{facts.n_bitmaps} * Bitmaps::words_per_bitmap(facts.n_documents)) {
    throw FormatError(bytes.what(kBitmaps, "has not the expected length"));
  }
  bitmaps = Bitmaps(bits, facts.n_documents, facts.n_bitmaps);
}

Dictionary Segment::File::open_dictionary(Section offsets, Section entries, Section lists) const {
  size_t n = 0;
  const uint32_t* buckets = bytes.array<uint32_t>(offsets, bytes.checked(offsets), n);
  const Reader raw = bytes.section(entries);
  bool ascending = n >= 2 && n <= UINT32_MAX && buckets[n - 1] == raw.left();
  for (size_t i = 1; ascending && i < n; ++i) ascending = buckets[i - 1] <= buckets[i];
  if (!ascending) throw FormatError(bytes.what(offsets, "is not in order"));
  return Dictionary(buckets, static_cast<uint32_t>(n - 1), raw, bytes.section(lists));
}

std::vector<std::string> Segment::verify() const {
  std::vector<std::string> damaged;
  for (uint32_t section = 0; section < kNSections; ++section) {
    if (!file_->bytes.is_sound(static_cast<Section>(section)))
      damaged.emplace_back(section_names[section]);
  }
  return damaged;
}

uint64_t count_terms(const std::vector<const Segment*>& segments) {
  std::vector<std::string_view> terms;
  for (const Segment* segment : segments) {
    segment->words().for_each([&](const auto& entry) { terms.push_back(entry.key()); });
  }
  std::sort(terms.begin(), terms.end());
  return static_cast<uint64_t>(std::unique(terms.begin(), terms.end()) - terms.begin());
}

}  // namespace averment
