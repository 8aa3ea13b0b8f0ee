// The hash of a word. It is part of the file format: it orders the dictionary.
#pragma once

#include "bytes.hpp"

namespace averment {

inline uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// The first `n` of eight bytes, n in 0 … 8. All eight are read.
inline uint64_t load_prefix(const char* at, size_t n) {
  return n ? load<uint64_t>(at) & (~uint64_t{0} >> (64 - 8 * n)) : 0;
}

// Reads up to seven bytes beyond the word: see `Words::kPadding`.
inline uint64_t hash_word(std::string_view word) {
  constexpr uint64_t kSeed = 0x9E3779B97F4A7C15, kOdd = 0xD6E8FEB86659FD93;
  uint64_t hash = kSeed ^ word.size();
  const char* at = word.data();
  size_t left = word.size();
  for (; left > 8; left -= 8, at += 8) hash = mix(hash ^ load<uint64_t>(at), kOdd);
  return mix(hash ^ load_prefix(at, left), kOdd);
}

}  // namespace averment
