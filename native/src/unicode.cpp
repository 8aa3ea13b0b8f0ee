#include "unicode.hpp"

#include <algorithm>

namespace averment {
namespace {

#include "unicode_tables.inc"

// Hangul syllables compose and decompose by rule (Unicode Standard, section 3.12).
constexpr uint32_t kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7;
constexpr uint32_t kNLeads = 19, kNVowels = 21, kNTails = 28;
constexpr uint32_t kNSyllables = kNLeads * kNVowels * kNTails;

template <class Key, size_t N>
size_t find(const Key (&sorted)[N], size_t size, Key key) {
  const Key* found = std::lower_bound(sorted, sorted + size, key);
  return found != sorted + size && *found == key ? static_cast<size_t>(found - sorted) : size;
}

uint8_t combining_class(uint32_t code) {
  const size_t at = find(kClass_codes, kClass_codes_size, code);
  return at < kClass_codes_size ? kClass_values[at] : 0;
}

void append_decomposed(std::u32string& out, uint32_t code) {
  const uint32_t syllable = code - kSyllables;
  if (code >= kSyllables && syllable < kNSyllables) {
    out.push_back(kLeads + syllable / (kNVowels * kNTails));
    out.push_back(kVowels + syllable % (kNVowels * kNTails) / kNTails);
    if (syllable % kNTails) out.push_back(kTails + syllable % kNTails);
    return;
  }
  const size_t at = find(kDecompose_codes, kDecompose_codes_size, code);
  if (at == kDecompose_codes_size) {
    out.push_back(code);
  } else {
    out.append(kDecompose_pool + kDecompose_offsets[at],
               kDecompose_pool + kDecompose_offsets[at + 1]);
  }
}

// The composite of two code points, or 0.
uint32_t composite(uint32_t first, uint32_t second) {
  const uint32_t lead = first - kLeads, vowel = second - kVowels;
  if (first >= kLeads && lead < kNLeads && second >= kVowels && vowel < kNVowels) {
    return kSyllables + (lead * kNVowels + vowel) * kNTails;
  }
  const uint32_t syllable = first - kSyllables, tail = second - kTails;
  if (first >= kSyllables && syllable < kNSyllables && syllable % kNTails == 0 && second > kTails &&
      tail < kNTails) {
    return first + tail;
  }
  const uint64_t key = static_cast<uint64_t>(first) << 32 | second;
  const size_t at = find(kCompose_keys, kCompose_keys_size, key);
  return at < kCompose_keys_size ? kCompose_values[at] : 0;
}

// Marks in a row are put into the order of their combining classes.
void reorder(std::u32string& text) {
  for (size_t at = 0; at < text.size();) {
    if (!combining_class(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && combining_class(text[end])) ++end;
    std::stable_sort(text.begin() + at, text.begin() + end, [](char32_t a, char32_t b) {
      return combining_class(a) < combining_class(b);
    });
    at = end;
  }
}

}  // namespace

const char* const unicode_version = kUnicodeVersion;

uint8_t properties(uint32_t code) {
  return code > 0x10FFFF ? 0 : kStage2[kStage1[code >> 8] << 8 | (code & 0xFF)];
}

uint32_t decode_utf8(const Byte*& at, const Byte* end) {
  const uint32_t lead = *at++;
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || end - at < more) return kNotText;
  uint32_t code = lead & (0x3F >> more);
  for (int i = 0; i < more; ++i) {
    if ((at[i] & 0xC0) != 0x80) return kNotText;
    code = code << 6 | (at[i] & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (code < kLeast[more] || code > 0x10FFFF) return kNotText;
  at += more;
  return code;
}

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | code >> 6));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | code >> 12));
    out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | code >> 18));
    out.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

void append_folded(std::u32string& out, uint32_t code) {
  const size_t at = find(kFold_codes, kFold_codes_size, code);
  if (at == kFold_codes_size) {
    out.push_back(code);
  } else {
    out.append(kFold_pool + kFold_offsets[at], kFold_pool + kFold_offsets[at + 1]);
  }
}

void compose(std::u32string& text, bool drop_accents) {
  std::u32string parts;
  for (const char32_t code : text) append_decomposed(parts, code);
  if (drop_accents) {
    const auto is_accent = [](char32_t code) {
      return find(kAccents, kAccents_size, static_cast<uint32_t>(code)) < kAccents_size;
    };
    parts.erase(std::remove_if(parts.begin(), parts.end(), is_accent), parts.end());
  }
  reorder(parts);
  text.clear();
  size_t starter = std::u32string::npos;  // where in `text` the last code point of class 0 is
  uint8_t last_class = 0;                 // of what stands between it and here
  for (const char32_t code : parts) {
    const uint8_t own_class = combining_class(code);
    const bool adjacent = starter + 1 == text.size();
    if (starter != std::u32string::npos && (adjacent || last_class < own_class)) {
      if (const uint32_t merged = composite(text[starter], code)) {
        text[starter] = merged;
        continue;
      }
    }
    if (!own_class) starter = text.size();
    last_class = own_class;
    text.push_back(code);
  }
}

bool may_need_nfc(const Byte* at, const Byte* end) {
  while (at < end) {
    if (end - at >= 8 && !(load<uint64_t>(at) & 0x8080808080808080)) {
      at += 8;
    } else {
      const uint32_t code = decode_utf8(at, end);
      if (code >= 0x80 && code != kNotText && properties(code) & kUnstable) return true;
    }
  }
  return false;
}

}  // namespace averment
