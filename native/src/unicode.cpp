#include "unicode.hpp"

#include <algorithm>

namespace averment {
namespace {

#include "unicode_tables.inc"

// Where a key stands in a sorted table, or -1.
template <class Key, size_t N>
ptrdiff_t find(const Key (&sorted)[N], Key key) {
  const Key* found = std::lower_bound(sorted, sorted + N, key);
  return found != sorted + N && *found == key ? found - sorted : -1;
}

// The value of a key, or 0.
template <class Key, class Value, size_t N>
Value value_of(const Key (&keys)[N], const Value (&values)[N], Key key) {
  const ptrdiff_t at = find(keys, key);
  return at < 0 ? 0 : values[at];
}

// Appends what a code point becomes; most stay as they are.
template <size_t N, size_t NPool>
void append_mapped(const uint32_t (&codes)[N], const uint16_t (&offsets)[N + 1],
                   const uint32_t (&pool)[NPool], uint32_t code, std::u32string& out) {
  const ptrdiff_t at = find(codes, code);
  if (at < 0) out.push_back(code);
  else out.append(pool + offsets[at], pool + offsets[at + 1]);
}

uint8_t combining_class(uint32_t code) { return value_of(kClass_codes, kClass_values, code); }

// Marks in a row are put into the order of their combining classes.
void reorder(std::u32string& text) {
  const auto is_mark = [](char32_t code) { return combining_class(code) > 0; };
  const auto before = [](char32_t a, char32_t b) {
    return combining_class(a) < combining_class(b);
  };
  for (auto at = text.begin(); at != text.end();) {
    const auto first = std::find_if(at, text.end(), is_mark);
    at = std::find_if_not(first, text.end(), is_mark);
    std::stable_sort(first, at, before);
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
  if (code < 0x80) return out.push_back(static_cast<char>(code));
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  out.push_back(static_cast<char>(0xFF00 >> (more + 1) | code >> 6 * more));
  for (int i = more; i-- > 0;) out.push_back(static_cast<char>(0x80 | (code >> 6 * i & 0x3F)));
}

void append_folded(std::u32string& out, uint32_t code) {
  append_mapped(kFold_codes, kFold_offsets, kFold_pool, code, out);
}

void compose(std::u32string& text, bool drop_accents) {
  std::u32string parts;
  for (const uint32_t code : text) {
    append_mapped(kDecompose_codes, kDecompose_offsets, kDecompose_pool, code, parts);
  }
  if (drop_accents) {
    const auto is_accent = [](uint32_t code) { return find(kAccents, code) >= 0; };
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
      const uint64_t both = uint64_t{text[starter]} << 32 | code;
      if (const uint32_t merged = value_of(kCompose_keys, kCompose_values, both)) {
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
