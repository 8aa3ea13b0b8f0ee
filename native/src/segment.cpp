#include "segment.hpp"

#include <algorithm>

namespace averment {

Segment::Segment(const std::string& path) : file_(path) {
  const Reader facts = file_.checked(kFacts);
  if (facts.left() != sizeof(Facts)) throw FormatError(file_.what(kFacts, "has an odd length"));
  facts_ = load<Facts>(facts.at);
  facts_.unicode_version[sizeof facts_.unicode_version - 1] = 0;

  size_t n = 0;
  const uint32_t* starts =
      file_.array<uint32_t>(kDocumentStarts, file_.checked(kDocumentStarts), n);
  bool ascending = n == facts_.n_documents + uint64_t{1} && starts[0] == 0;
  for (size_t i = 1; ascending && i < n; ++i) ascending = starts[i - 1] < starts[i];
  if (!ascending) throw FormatError(file_.what(kDocumentStarts, "is not in order"));
  documents_ = Documents(starts, facts_.n_documents);

  words_ = open_dictionary(kWordOffsets, kWordEntries, kWordLists);
  pairs_ = open_dictionary(kPairOffsets, kPairEntries, kPairLists);

  const uint64_t* bits = file_.array<uint64_t>(kBitmaps, file_.section(kBitmaps), n);
  if (n != uint64_t{facts_.n_bitmaps} * Bitmaps::words_per_bitmap(facts_.n_documents)) {
    throw FormatError(file_.what(kBitmaps, "has not the expected length"));
  }
  bitmaps_ = Bitmaps(bits, facts_.n_documents, facts_.n_bitmaps);
}

Dictionary Segment::open_dictionary(Section offsets, Section entries, Section lists) const {
  size_t n = 0;
  const uint32_t* buckets = file_.array<uint32_t>(offsets, file_.checked(offsets), n);
  const Reader bytes = file_.section(entries);
  bool ascending = n >= 2 && n <= UINT32_MAX && buckets[n - 1] == bytes.left();
  for (size_t i = 1; ascending && i < n; ++i) ascending = buckets[i - 1] <= buckets[i];
  if (!ascending) throw FormatError(file_.what(offsets, "is not in order"));
  return Dictionary(buckets, static_cast<uint32_t>(n - 1), bytes, file_.section(lists));
}

std::vector<std::string> Segment::verify() const {
  std::vector<std::string> damaged;
  for (uint32_t section = 0; section < kNSections; ++section) {
    if (!file_.is_sound(static_cast<Section>(section)))
      damaged.emplace_back(section_names[section]);
  }
  return damaged;
}

uint64_t count_terms(const std::vector<const Segment*>& segments) {
  std::vector<std::string_view> terms;
  for (const Segment* segment : segments) {
    segment->words().for_each([&](const DictionaryEntry& entry) { terms.push_back(entry.key); });
  }
  std::sort(terms.begin(), terms.end());
  return static_cast<uint64_t>(std::unique(terms.begin(), terms.end()) - terms.begin());
}

}  // namespace averment
