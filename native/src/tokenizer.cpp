#include "tokenizer.hpp"

#include <array>

#include "unicode.hpp"

namespace averment {
namespace {

constexpr Byte kSeparator = 0, kNotAscii = 1;

// Each ASCII byte as it stands in a word, kSeparator, or kNotAscii.
constexpr std::array<Byte, 256> make_ascii_table() {
  std::array<Byte, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[c] = static_cast<Byte>(c);
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32] = static_cast<Byte>(c);
  for (int c = 0x80; c < 0x100; ++c) table[c] = kNotAscii;
  return table;
}
constexpr auto kAscii = make_ascii_table();

void add_form(const std::u32string& form, Words& words) {
  std::string utf8;
  for (const char32_t code : form) append_utf8(utf8, code);
  if (!utf8.empty()) words.add(utf8);  // a run of nothing but accents leaves no word
}

// A word or run with a code point beyond ASCII; returns where it ends.
const Byte* add_run(const Byte* at, const Byte* end, bool fold_accents, Words& words) {
  std::u32string form;
  uint8_t seen = 0;
  while (at < end) {
    const Byte* next = at;
    const uint32_t code = decode_utf8(next, end);
    const uint8_t bits = properties(code);
    if (!(bits & (kWord | kSingle)) || (bits & kSingle && !form.empty())) break;
    seen |= bits;
    append_folded(form, code);
    at = next;
    if (bits & kSingle) break;
  }
  // Folding keeps NFC unless something that joins meets something that changed.
  const bool joined = seen & kFoldsToJoining || (seen & kFolds && seen & kJoins);
  const bool accented = fold_accents && seen & (kAccented | kJoins);
  if (joined || accented) compose(form, fold_accents);
  add_form(form, words);
  return at;
}

}  // namespace

std::string_view first_part(std::string_view text, size_t n_bytes) {
  while (n_bytes < text.size() && kAscii[static_cast<Byte>(text[n_bytes])] != kSeparator) ++n_bytes;
  return text.substr(0, n_bytes);
}

void tokenize_all(std::string_view text, bool fold_accents, Words& words) {
  const Byte* at = reinterpret_cast<const Byte*>(text.data());
  const Byte* end = at + text.size();
  Byte* out = words.room(static_cast<size_t>(end - at));  // an ASCII word is as long as its form
  while (at < end) {
    const Byte* start = at;
    size_t length = 0;
    Byte letter = kSeparator;
    while (at < end && (letter = kAscii[*at]) > kNotAscii) out[length++] = letter, ++at;
    if (at < end && letter == kNotAscii) {
      const Byte* next = at;
      const uint8_t bits = properties(decode_utf8(next, end));
      if (bits & kWord || (bits & kSingle && !length)) {
        at = add_run(start, end, fold_accents, words);
        out = words.room(static_cast<size_t>(end - at));
        continue;
      }
      if (!(bits & kSingle)) at = next;
    } else {
      ++at;
    }
    if (length) {
      words.close(length);
      out += length;
    }
  }
}

}  // namespace averment
