// From text to words in their normal form: what `averment.text.TextForm.words` gives, in C++.
//
// Expects UTF-8 in NFC (see `may_need_nfc`); bytes that are not UTF-8 separate words.
#pragma once

#include "bytes.hpp"

namespace averment {

// The forms of some words, one after the other. The bytes go on for kPadding beyond the last word,
// so that hashing may load eight at a time.
class Words {
 public:
  static constexpr size_t kPadding = 16;

  size_t size() const { return ends_.size(); }
  size_t n_bytes() const { return ends_.empty() ? 0 : ends_.back(); }
  std::string_view operator[](size_t i) const {
    const size_t start = i ? ends_[i - 1] : 0;
    return {reinterpret_cast<const char*>(bytes_.data()) + start, ends_[i] - start};
  }
  void clear() { ends_.clear(); }

  // Room for `n` more bytes and the padding behind the words; what is written becomes a word
  // with `close`.
  Byte* room(size_t n) {
    const size_t needed = n_bytes() + n + kPadding;
    if (bytes_.size() < needed) bytes_.resize(needed + needed / 2);
    return bytes_.data() + n_bytes();
  }
  void close(size_t length) { ends_.push_back(n_bytes() + length); }
  void add(std::string_view word) {
    std::memcpy(room(word.size()), word.data(), word.size());
    close(word.size());
  }

 private:
  Bytes bytes_;
  std::vector<size_t> ends_;
};

// Appends the words of a text.
void tokenize_all(std::string_view text, bool fold_accents, Words& words);

// The start of a text, about so many bytes; no word goes beyond its end.
std::string_view first_part(std::string_view text, size_t n_bytes);

}  // namespace averment
