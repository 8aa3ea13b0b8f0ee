// What the tokenizer must know about code points, and NFC for the few words that need it.
//
// The tables are made at build time from the Python that the module is built for, so that text is
// cut in C++ as `averment.text.TextForm` cuts it. What this does not do: normalise whole texts.
#pragma once

#include <string>

#include "bytes.hpp"

namespace averment {

extern const char* const unicode_version;

// Bits of a code point; keep in step with generate_tables.py.
enum CodePoint : uint8_t {
  kWord = 1,             // belongs into a run of letters, marks and numbers
  kSingle = 2,           // is a word by itself (Han, kana, Thai, Lao, Khmer)
  kFolds = 4,            // its case-folded form is another
  kJoins = 8,            // may merge with, or move before, what precedes it
  kUnstable = 16,        // a text without these is in NFC
  kAccented = 32,        // changes when accents are folded
  kFoldsToJoining = 64,  // its case-folded form contains a joining code point
};

uint8_t properties(uint32_t code);

// One code point of UTF-8; advances `at`. Bytes that are not UTF-8 give kNotText, one at a time.
constexpr uint32_t kNotText = 0xFFFFFFFF;
uint32_t decode_utf8(const Byte*& at, const Byte* end);
void append_utf8(std::string& out, uint32_t code);

// The NFC of the full case folding of one code point.
void append_folded(std::u32string& out, uint32_t code);

// Normalisation form C, in place; with `drop_accents` without nonspacing marks.
void compose(std::u32string& text, bool drop_accents);

// Whether a text might not be in NFC; a false alarm is possible, a miss is not.
bool may_need_nfc(const Byte* at, const Byte* end);

}  // namespace averment
