#include "store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "checksum.hpp"

namespace averment {
namespace {

constexpr char kMagic[8] = {'A', 'V', 'E', 'R', 'M', 'E', 'N', 'T'};
constexpr uint64_t kAlignment = 64;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t n_sections;
  uint64_t file_length;
  uint32_t table_checksum;  // of the section table behind the header
  uint32_t reserved;
};

static_assert(sizeof(Header) == 32 && sizeof(SectionEntry) == 24, "as they stand on disk");

constexpr uint64_t kFirstSection =
    (sizeof(Header) + kNSections * sizeof(SectionEntry) + kAlignment - 1) / kAlignment * kAlignment;
constexpr uint64_t kTableBytes = kFirstSection - sizeof(Header);  // zeros behind the last entry

}  // namespace

const std::array<const char*, kNSections> section_names = {
    "facts",        "document starts", "word offsets", "word entries", "word lists",
    "pair offsets", "pair entries",    "pair lists",   "bitmaps"};

OpenFile::OpenFile(const std::string& path, int flags)
    : number(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
  if (number < 0) throw FileError(path, errno);
}

OpenFile::~OpenFile() { ::close(number); }

FileWriter::FileWriter(const std::string& path)
    : path_(path), file_(path, O_RDWR | O_CREAT | O_EXCL) {
  const Byte nothing[kFirstSection] = {};
  put(nothing, sizeof nothing);
}

void FileWriter::put(const void* from, size_t n) {
  const char* at = static_cast<const char*>(from);
  while (n) {
    const ssize_t written = ::write(file_.number, at, n);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw FileError(path_, errno);
    at += written;
    n -= static_cast<size_t>(written);
    length_ += static_cast<uint64_t>(written);
  }
}

void FileWriter::begin(Section section) {
  close_section();
  section_ = section;
  entries_[section].offset = length_;
}

// The bytes up to the next section belong to the checksum, so that there is no byte that may
// change.
void FileWriter::close_section() {
  if (section_ == kNSections || length_ % kAlignment == 0) return;
  const Byte padding[kAlignment] = {};
  const size_t n = kAlignment - length_ % kAlignment;
  SectionEntry& entry = entries_[section_];
  entry.checksum = crc32c(padding, n, entry.checksum);
  put(padding, n);
}

void FileWriter::write(const void* from, size_t n) {
  SectionEntry& entry = entries_[section_];
  entry.checksum = crc32c(static_cast<const Byte*>(from), n, entry.checksum);
  entry.length += n;
  put(from, n);
}

void FileWriter::finish() {
  close_section();
  Byte start[kFirstSection] = {};
  std::memcpy(start + sizeof(Header), entries_.data(), sizeof entries_);
  const uint32_t checksum = crc32c(start + sizeof(Header), kTableBytes);
  Header header{{}, kFormatVersion, kNSections, length_, checksum, 0};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  std::memcpy(start, &header, sizeof header);
  const int file = file_.number;
  const bool written = ::pwrite(file, start, sizeof start, 0) == static_cast<ssize_t>(sizeof start);
  if (!written || ::fsync(file)) throw FileError(path_, errno);
}

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const OpenFile file(path, O_RDONLY);
  struct stat facts {};
  if (::fstat(file.number, &facts)) throw FileError(path_, errno);
  length_ = static_cast<uint64_t>(facts.st_size);
  if (length_ < kFirstSection) throw FormatError(path_ + " is too short for a segment");
  void* mapped = ::mmap(nullptr, length_, PROT_READ, MAP_SHARED, file.number, 0);
  if (mapped == MAP_FAILED) throw FileError(path_, errno);
  const auto unmap = [n = length_](const Byte* at) { ::munmap(const_cast<Byte*>(at), n); };
  bytes_ = {static_cast<const Byte*>(mapped), unmap};
  check_header();
}

void MappedFile::check_header() const {
  const Header header = load<Header>(at(0));
  if (std::memcmp(header.magic, kMagic, sizeof kMagic)) {
    throw FormatError(path_ + " is not a finished segment of an averment index");
  }
  if (header.version != kFormatVersion) {
    throw FormatError(path_ + " has format version " + std::to_string(header.version) +
                      ", expected " + std::to_string(kFormatVersion));
  }
  if (header.file_length != length_) {
    throw FormatError(path_ + " has " + std::to_string(length_) + " bytes, expected " +
                      std::to_string(header.file_length));
  }
  bool sound = header.n_sections == kNSections && header.reserved == 0;
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  sound = sound && header.table_checksum == crc32c(at(sizeof(Header)), kTableBytes);
#endif
  if (!sound) {
    throw FormatError(path_ + " has a damaged table of sections");
  }
  for (uint32_t i = 0; i < kNSections; ++i) {
    const SectionEntry entry = this->entry(i);
    if (entry.offset % kAlignment || entry.offset > length_ ||
        entry.length > length_ - entry.offset) {
      throw FormatError(what(static_cast<Section>(i), "lies outside of the file"));
    }
  }
}

SectionEntry MappedFile::entry(uint32_t section) const {
  return load<SectionEntry>(at(sizeof(Header) + section * sizeof(SectionEntry)));
}

Reader MappedFile::section(Section section) const {
  const SectionEntry entry = this->entry(section);
  return {at(entry.offset), at(entry.offset + entry.length)};
}

bool MappedFile::is_sound(Section section) const {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  (void)section;
  return true;  // the fuzzer is to reach what lies behind the checksums
#else
  const SectionEntry entry = this->entry(section);
  const uint64_t padded = (entry.length + kAlignment - 1) / kAlignment * kAlignment;
  return crc32c(at(entry.offset), std::min(padded, length_ - entry.offset)) == entry.checksum;
#endif
}

Reader MappedFile::checked(Section section) const {
  if (!is_sound(section)) throw FormatError(what(section, "does not have its checksum"));
  return this->section(section);
}

std::string MappedFile::what(Section section, const char* problem) const {
  return path_ + ": the section '" + section_names[section] + "' " + problem;
}

}  // namespace averment
