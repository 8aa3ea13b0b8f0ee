#include "check.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"
#include "vocabulary.hpp"

using namespace averment;

namespace {

std::string words_of(std::string_view text, bool fold_accents = false) {
  Words words;
  tokenize_all(text, fold_accents, words);
  std::string joined;
  for (size_t i = 0; i < words.size(); ++i)
    joined += std::string(i ? "|" : "") + std::string(words[i]);
  return joined;
}

std::vector<uint32_t> numbers(Vocabulary& vocabulary, const Words& words) {
  std::vector<uint64_t> hashes;
  hash_all(words, hashes);
  std::vector<uint32_t> ids(words.size());
  vocabulary.number(words, hashes, ids.data());
  return ids;
}

}  // namespace

TEST(words_are_runs_of_letters_and_digits_in_lower_case) {
  CHECK(words_of("It's 5 o'Clock -- HERE") == "it|s|5|o|clock|here");
  CHECK(words_of("").empty());
  CHECK(words_of("...").empty());
}

TEST(words_beyond_ascii_are_fully_folded) {
  CHECK(words_of("STRASSE Straße") == "strasse|strasse");
  CHECK(words_of("ΣΊΣΥΦΟΣ") == "σίσυφοσ");
  CHECK(words_of("naïve—ÉTÉ") == "naïve|été");
}

TEST(scripts_without_spaces_are_cut_by_character) {
  CHECK(words_of("a漢字b") == "a|漢|字|b");
  CHECK(words_of("カナ12") == "カ|ナ|12");
}

TEST(accents_fold_where_asked) {
  CHECK(words_of("Zürich", true) == "zurich");
  CHECK(words_of("\u0301 a", true) == "a");
  CHECK(words_of("한글", true) == "한글");
}

TEST(bytes_that_are_not_utf8_separate_words) {
  CHECK(words_of("a\xFF"
                 "b\xC3") == "a|b");
  CHECK(words_of("a\xED\xA0\x80"
                 "b") == "a|b");
  CHECK(words_of("a\xC0\xAF"
                 "b") == "a|b");
}

TEST(marks_are_put_in_order_and_merged) {
  std::u32string text = U"i\u0307\u0328";
  compose(text, false);
  CHECK(text == U"\u012F\u0307");
  std::u32string jamo = U"\u1112\u1161\u11AB";
  compose(jamo, false);
  CHECK(jamo == U"\uD55C");
}

TEST(texts_that_may_not_be_normalised_are_suspected) {
  const auto suspected = [](std::string_view text) {
    const Byte* at = reinterpret_cast<const Byte*>(text.data());
    return may_need_nfc(at, at + text.size());
  };
  CHECK(!suspected("plain ASCII text and Zürich"));
  CHECK(suspected("Zu\u0308rich"));
}

TEST(long_and_short_words_get_their_own_numbers) {
  Words words;
  const std::vector<std::string> forms = {
      "a", "b", "a", "12345678", "123456789", "1234567890", "123456789", std::string(5000, 'x')};
  for (const std::string& form : forms) words.add(form);
  Vocabulary vocabulary;
  const std::vector<uint32_t> ids = numbers(vocabulary, words);
  CHECK((ids == std::vector<uint32_t>{0, 1, 0, 2, 3, 4, 3, 5}));
  for (size_t i = 0; i < ids.size(); ++i) CHECK(vocabulary[ids[i]] == forms[i]);
}

TEST(a_vocabulary_grows) {
  Vocabulary vocabulary;
  for (int round = 0; round < 2; ++round) {
    Words words;
    for (int i = 0; i < 20000; ++i) words.add("word" + std::to_string(i) + (i % 2 ? "suffix" : ""));
    const std::vector<uint32_t> ids = numbers(vocabulary, words);
    for (uint32_t i = 0; i < ids.size(); ++i) CHECK(ids[i] == i);
  }
  CHECK(vocabulary.size() == 20000);
}
