// The segment file: a header with the place and checksum of each section, then the sections.
//
// Written once, in order, the header last; a file that was not finished has no header. Read through
// a memory map. Sections begin at multiples of 64 bytes. What this does not do: rename, publish,
// delete; that is Python's, and so is keeping published files as they are.
#pragma once

#include <array>
#include <memory>

#include "bytes.hpp"

namespace averment {

constexpr uint32_t kFormatVersion = 1;

enum Section : uint32_t {
  kFacts,           // Facts
  kDocumentStarts,  // uint32 each, and one more: see Documents
  kWordOffsets,     // the dictionary of words: see Dictionary
  kWordEntries,
  kWordLists,
  kPairOffsets,  // the dictionary of pairs of frequent words; its keys are two ranks, 16 bits each
  kPairEntries,
  kPairLists,
  kBitmaps,  // see Bitmaps
  kNSections,
};
extern const std::array<const char*, kNSections> section_names;

// What a segment says about itself.
struct Facts {
  uint64_t n_words = 0;
  uint64_t n_pair_occurrences = 0;
  uint32_t n_documents = 0;
  uint32_t n_terms = 0;
  uint32_t n_pairs = 0;
  uint32_t n_bitmaps = 0;
  uint32_t fold_accents = 0;
  uint32_t frequent_words = 0;  // how many words have a rank, so that their pairs are listed
  char unicode_version[16] = {};
};

// Where a section lies, as it stands in the table behind the header.
struct SectionEntry {
  uint64_t offset, length;
  uint32_t checksum, reserved;
};

// An open file, until this ends.
struct OpenFile {
  OpenFile(const std::string& path, int flags);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const int number;
};

// Writes a new file, never over another; one without `finish` cannot be opened.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);

  // Sections are written one after the other, each in any number of pieces.
  void begin(Section section);
  void write(const void* from, size_t n);
  // Completes and syncs the file.
  void finish();

 private:
  void put(const void* from, size_t n);
  void close_section();

  std::string path_;
  OpenFile file_;
  uint64_t length_ = 0;
  Section section_ = kNSections;
  std::array<SectionEntry, kNSections> entries_{};
};

// A file that `FileWriter` finished, mapped; its header is checked, its sections are not.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);

  Reader section(Section section) const;
  // The section, if its checksum is right.
  Reader checked(Section section) const;
  bool is_sound(Section section) const;

  // The section as an array; its length must be a multiple of the element.
  template <class T>
  const T* array(Section section, Reader bytes, size_t& n) const {
    if (bytes.left() % sizeof(T)) throw FormatError(what(section, "has an odd length"));
    n = bytes.left() / sizeof(T);
    return reinterpret_cast<const T*>(bytes.at);
  }
  std::string what(Section section, const char* problem) const;

 private:
  void check_header() const;
  SectionEntry entry(uint32_t section) const;
  const Byte* at(uint64_t offset) const { return bytes_.get() + offset; }

  std::string path_;
  uint64_t length_ = 0;
  std::shared_ptr<const Byte> bytes_;
};

}  // namespace averment
