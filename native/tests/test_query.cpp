#include <cstdio>

#include "builder.hpp"
#include "check.hpp"
#include "query.hpp"

using namespace averment;

namespace {

// A segment in a temporary file, with lists of pairs and bitmaps for everything.
class Corpus {
 public:
  explicit Corpus(const std::vector<std::string>& texts) {
    BuildOptions options;
    options.frequent_min_count = 1;
    options.frequent_min_share = 0;
    options.bitmap_min_share = 0.01;
    SegmentBuilder builder(options);
    for (const std::string& text : texts) builder.add(text);
    builder.finish(path_);
  }
  ~Corpus() { std::remove(path_.c_str()); }
  Segment open() const { return Segment(path_); }

 private:
  std::string path_ = std::string(std::tmpnam(nullptr)) + ".averment-test";
};

Phrase set(const Segment& segment, std::vector<std::string_view> forms) {
  PhraseTable table;
  table.number_of_set(std::move(forms));
  return std::move(resolve(segment, table).front());
}

std::vector<std::pair<uint32_t, uint32_t>> spans(const Segment& segment, const Phrase& phrase) {
  std::vector<std::pair<uint32_t, uint32_t>> found;
  for (const Occurrence& one : locate_phrase(segment, phrase, SIZE_MAX)) {
    found.emplace_back(one.word, one.n_words);
  }
  return found;
}

using Spans = std::vector<std::pair<uint32_t, uint32_t>>;

}  // namespace

TEST(of_overlapping_forms_the_first_and_longest_counts) {
  const Corpus corpus({"a b c d a b"});
  const Segment segment = corpus.open();
  CHECK(spans(segment, set(segment, {"a", "a b", "b c", "d a"})) == (Spans{{0, 2}, {3, 2}}));
  CHECK(spans(segment, set(segment, {"b c", "a b", "c d"})) == (Spans{{0, 2}, {2, 2}, {4, 2}}));
}

TEST(a_set_does_not_overlap_itself_but_a_phrase_does) {
  const Corpus corpus({"a a a a a"});
  const Segment segment = corpus.open();
  CHECK(count_phrase(segment, set(segment, {"a a", "A A"})).occurrences == 4);
  CHECK(count_phrase(segment, set(segment, {"a a", "b"})).occurrences == 2);
}

TEST(equal_sets_of_a_batch_are_one) {
  PhraseTable table;
  CHECK(table.number_of_set({"a", "b c"}) == table.number_of_set({"b c", "a"}));
  CHECK(table.number_of_set({"d"}) == table.number("d"));
  CHECK(table.texts().size() == 2);
  CHECK_THROWS(QueryError, table.number_of_set({}));
}

TEST(a_cursor_that_jumps_into_a_document_matches_it_from_its_start) {
  std::string text = "a";
  for (int i = 0; i < 1000; ++i) text += " a";
  const Corpus corpus({"x", text, "a a"});
  const Segment segment = corpus.open();
  const Phrase pairs = set(segment, {"a a", "b"});
  const uint64_t start = segment.documents()[1].start;
  for (const uint64_t target : {0, 1, 2, 3, 500, 501, 999, 1000}) {
    PhraseCursor cursor(segment.documents(), pairs);
    const uint64_t expected =
        target <= 998 ? start + (target + 1) / 2 * 2 : uint64_t{segment.documents()[2].start};
    CHECK(cursor.next_geq(start + target) == expected && cursor.n_words() == 2);
  }
}

TEST(a_condensed_set_starts_where_it_did) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += i % 7 ? "a " : "b ";
  const Corpus corpus({text, "b", text});
  const Segment segment = corpus.open();
  const Phrase whole = set(segment, {"a a", "b a", "a a a"});
  Phrase condensed = set(segment, {"a a", "b a", "a a a"});
  condense(segment, condensed);
  PhraseCursor one(segment.documents(), whole), other(segment.documents(), condensed);
  for (uint64_t at = 0; at != kEnd; ++at) {
    CHECK(one.next_geq(at) == other.next_geq(at));
    if ((at = one.next_geq(at)) == kEnd) break;
  }
  Phrase nowhere = set(segment, {"b b", "absent"});
  condense(segment, nowhere);
  CHECK(count_phrase(segment, nowhere).occurrences == 0);
}

TEST(a_view_counts_what_is_in_its_documents) {
  std::vector<std::string> texts(700, "a b");
  texts[3] = "a a a";
  const Corpus corpus(texts);
  const Segment segment = corpus.open();
  std::string all_but(88, '\xFF');
  all_but[0] = static_cast<char>(0xF5);  // without 1 and 3
  const Segment view = segment.among(all_but);
  CHECK(view.members()->missing()->size() == 2);
  const PhraseCount count = count_phrase(view, set(segment, {"a"}));
  CHECK(count.occurrences == 698 && count.documents == 698);
  CHECK(cooccurrence(view, set(segment, {"a"}), set(segment, {"b"}), {9}).front().documents == 698);

  std::string few(88, '\0');
  few[0] = 0x0A;  // 1 and 3
  CHECK(count_phrase(segment.among(few), set(segment, {"a"})).occurrences == 4);
  CHECK(count_phrase(segment.among(few).among(all_but), set(segment, {"a"})).occurrences == 0);
  CHECK_THROWS(QueryError, segment.among(few.substr(1)));
}

TEST(windows_are_answered_in_one_walk_as_one_by_one) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += i % 9 == 0 ? "a " : i % 11 == 0 ? "b " : "x ";
  const Corpus corpus({text, "b a", "a x x x b", text + text});
  const Segment segment = corpus.open();
  const Phrase a = set(segment, {"a"}), b = set(segment, {"b"});
  const std::vector<uint64_t> windows = {7, 0, 1, 4, 100, UINT64_MAX, 600};
  const auto found = cooccurrence(segment, a, b, windows);
  for (size_t i = 0; i < windows.size(); ++i) {
    const Cooccurrence expected = cooccurrence(segment, a, b, {windows[i]}).front();
    CHECK(found[i].documents == expected.documents && found[i].pairs == expected.pairs);
    CHECK(found[i].nearest == expected.nearest);
    CHECK(count_documents(segment, a, b, windows[i]) == expected.documents);
  }
}
