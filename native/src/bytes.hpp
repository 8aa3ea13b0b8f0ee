// Bytes on disk: little-endian loads, variable-length integers, and the one error for damage.
//
// Every reader takes (pointer, end) and never looks past the end: an index file is a foreign file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace averment {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file format is little-endian");

using Byte = unsigned char;
using Bytes = std::vector<Byte>;

// The file is damaged, newer, or not ours.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A question or a document that the core cannot take.
struct QueryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A phrase without a word.
struct PhraseError : QueryError {
  explicit PhraseError(std::string_view text)
      : QueryError("a phrase has no word to count"), phrase(text) {}
  std::string phrase;
};

// The operating system refused; `code` is its errno.
struct FileError : std::runtime_error {
  FileError(const std::string& what, int error_code)
      : std::runtime_error(what + ": " + std::strerror(error_code)), code(error_code) {}
  int code;
};

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline void append_varint(Bytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<Byte>(value | 0x80));
  out.push_back(static_cast<Byte>(value));
}

inline size_t varint_bytes(uint64_t value) {
  size_t n = 1;
  for (; value >= 0x80; value >>= 7) ++n;
  return n;
}

// A window on bytes that only shrinks; leaving it is a FormatError.
struct Reader {
  const Byte* at;
  const Byte* end;

  size_t left() const { return static_cast<size_t>(end - at); }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == end) break;
      const Byte byte = *at++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw FormatError("an integer is cut off");
  }

  // A varint that must fit 32 bits, as all counts and positions within a segment do.
  uint32_t varint32() {
    const uint64_t value = varint();
    if (value > UINT32_MAX) throw FormatError("an integer is too large");
    return static_cast<uint32_t>(value);
  }

  // The next `n` bytes as a reader of their own.
  Reader take(uint64_t n) {
    if (n > left()) throw FormatError("a part is longer than what holds it");
    Reader part{at, at + n};
    at += n;
    return part;
  }
};

}  // namespace averment
