#include "built.hpp"
#include "check.hpp"
#include "checksum.hpp"
#include "query.hpp"

using namespace averment;

namespace {

Phrase phrase(const Segment& segment, const std::string& text) {
  Words words;
  tokenize_all(text, segment.fold_accents(), words);
  return find_phrase(segment, words);
}

}  // namespace

TEST(an_empty_segment_answers_zero) {
  const Built file({});
  const Segment segment(file.path());
  const Phrase nothing = phrase(segment, "word");
  CHECK(count_phrase(segment, nothing).occurrences == 0);
  CHECK(!exists(segment, nothing, nothing, 1000));
  CHECK(segment.verify().empty());
}

TEST(documents_without_words_keep_their_numbers) {
  const Built file({"", "a b", "", "b a"});
  const Segment segment(file.path());
  const auto found = locate_phrase(segment, phrase(segment, "b a"), 10);
  CHECK(found.size() == 1 && found[0].document == 3 && found[0].word == 0);
}

TEST(windows_of_any_size_are_taken) {
  const Built file({"a x x x b"}, everything());
  const Segment segment(file.path());
  const Phrase a = phrase(segment, "a"), b = phrase(segment, "b");
  CHECK(!exists(segment, a, b, 3) && exists(segment, a, b, 4));
  CHECK(exists(segment, a, b, UINT64_MAX));
  CHECK(cooccurrence(segment, b, a, {UINT64_MAX}).front().pairs == 1);
  CHECK(cooccurrence(segment, b, a, {0}).front().nearest == 4);
}

TEST(a_phrase_longer_than_its_document_is_not_there) {
  const Built file({"a a a", "a a"}, everything());
  const Segment segment(file.path());
  CHECK(count_phrase(segment, phrase(segment, "a a a a")).occurrences == 0);
  CHECK(count_phrase(segment, phrase(segment, "a a")).occurrences == 3);
}

TEST(a_batch_names_the_phrase_without_a_word) {
  const Built file({"a"});
  const Segment segment(file.path());
  PhraseTable table;
  for (const char* text : {"a", "b", "a", "c", "d", "e", "f", "b"}) table.number(text);
  CHECK(table.texts().size() == 6 && table.number("f") == 5);
  table.number("--");
  CHECK_THROWS(QueryError, count_all(segment, table, 1));
}

TEST(a_position_between_two_documents_is_refused) {
  // Found by flipping bits: such a position was taken for a word, again and again.
  const Built file(std::vector<std::string>(3, "a b c"), everything());
  std::string bytes = file.bytes();
  const Segment segment(file.path());
  CHECK_THROWS(FormatError, segment.documents().of(3));
}

TEST(a_document_of_more_words_than_a_segment_can_hold_is_refused) {
  // Its checksums are right, as those of a file that somebody made are; opening it never ended.
  const Built file({"a b c"});
  std::string bytes = file.bytes();
  char* const table = bytes.data() + 32;
  char* const entry = table + kDocumentStarts * sizeof(SectionEntry);
  auto facts = load<SectionEntry>(entry);
  const uint32_t end = UINT32_MAX;
  std::memcpy(bytes.data() + facts.offset + sizeof end, &end, sizeof end);
  const auto checksum = [](const char* at, size_t n) {
    return crc32c(reinterpret_cast<const Byte*>(at), n);
  };
  facts.checksum = checksum(bytes.data() + facts.offset, 64);
  std::memcpy(entry, &facts, sizeof facts);
  const uint32_t of_table = checksum(table, 256 - 32);
  std::memcpy(bytes.data() + 24, &of_table, sizeof of_table);
  file.write(bytes);
  CHECK_THROWS(FormatError, Segment(file.path()));
}

TEST(no_prefix_of_a_file_can_be_opened) {
  const Built file(std::vector<std::string>(20, "some words in a document"), everything());
  const std::string bytes = file.bytes();
  for (size_t length = 0; length < bytes.size(); length += 13) {
    file.write(bytes.substr(0, length));
    CHECK_THROWS(FormatError, Segment(file.path()));
  }
}

TEST(a_file_is_not_written_twice) {
  const Built file({"a"});
  SegmentBuilder builder({});
  CHECK_THROWS(FileError, builder.finish(file.path()));
  CHECK_THROWS(FileError, Segment("/nonexistent/segment"));
}

TEST(the_bytes_do_not_depend_on_the_threads) {
  std::vector<std::string> texts(300, "some words in a document");
  texts[7] = std::string(500000, 'x');
  for (int i = 0; i < 200000; ++i) texts[150] += "word" + std::to_string(i % 5000) + " ";
  BuildOptions options = everything();
  const Built one(texts, options);
  for (options.n_threads = 2; options.n_threads < 6; ++options.n_threads) {
    CHECK(Built(texts, options).bytes() == one.bytes());
  }
}
