// A small corpus and two phrases out of the input; every answer must equal that of a scan.
#include <unistd.h>

#include <cstdlib>

#include "builder.hpp"
#include "query.hpp"

using namespace averment;

namespace {

using Document = std::vector<Byte>;

void check(bool holds) {
  if (!holds) std::abort();
}

std::string spell(const Document& words) {
  std::string text;
  for (const Byte word : words) text += std::string(1, static_cast<char>('a' + word)) + " ";
  return text;
}

std::vector<uint64_t> starts(const Document& document, const Document& phrase) {
  std::vector<uint64_t> found;
  for (size_t at = 0; at + phrase.size() <= document.size(); ++at) {
    if (std::equal(phrase.begin(), phrase.end(), document.begin() + at)) found.push_back(at);
  }
  return found;
}

struct Scan {
  PhraseCount count_a;
  Cooccurrence both;
};

Scan scan(const std::vector<Document>& corpus, const Document& a, const Document& b,
          uint64_t window) {
  Scan result;
  for (const Document& document : corpus) {
    const auto of_a = starts(document, a), of_b = starts(document, b);
    result.count_a.occurrences += of_a.size();
    result.count_a.documents += !of_a.empty();
    uint64_t pairs = 0;
    for (const uint64_t i : of_a) {
      for (const uint64_t j : of_b) {
        const uint64_t distance = i < j ? j - i : i - j;
        result.both.nearest = std::min(result.both.nearest, distance);
        pairs += distance <= window;
      }
    }
    result.both.pairs += pairs;
    result.both.documents += pairs > 0;
  }
  return result;
}

// The input in pieces; what is missing is zero.
struct Input {
  const uint8_t* at;
  const uint8_t* end;
  Byte next() { return at < end ? *at++ : 0; }
  Document words(size_t n, Byte n_types) {
    Document document(n);
    for (Byte& word : document) word = next() % n_types;
    return document;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t n) {
  Input input{bytes, bytes + n};
  const Byte n_types = input.next() % 5 + 1;
  const uint64_t window = input.next() % 40;
  BuildOptions options;
  options.frequent_min_count = input.next() % 20;
  options.frequent_min_share = 0;
  options.bitmap_min_share = input.next() % 3 / 4.0;
  const Document a = input.words(input.next() % 4 + 1, n_types);
  const Document b = input.words(input.next() % 4 + 1, n_types);
  std::vector<Document> corpus;
  while (input.at < input.end) corpus.push_back(input.words(input.next(), n_types));

  const std::string path = "/dev/shm/averment-fuzz-" + std::to_string(::getpid());
  ::unlink(path.c_str());
  SegmentBuilder builder(options);
  for (const Document& document : corpus) check(builder.add(spell(document)) == document.size());
  builder.finish(path);
  {
    const Segment segment(path);
    check(segment.verify().empty());
    PhraseTable table;
    const std::string text_a = spell(a), text_b = spell(b);
    const uint32_t number_a = table.number(text_a), number_b = table.number(text_b);
    auto phrases = resolve(segment, table);
    Phrase &phrase_a = phrases[number_a], &phrase_b = phrases[number_b];
    const Scan expected = scan(corpus, a, b, window);
    const PhraseCount count = count_phrase(segment, phrase_a);
    check(count.occurrences == expected.count_a.occurrences);
    check(count.documents == expected.count_a.documents);
    const Cooccurrence both = cooccurrence(segment, phrase_a, phrase_b, window);
    check(both.pairs == expected.both.pairs);
    check(both.documents == expected.both.documents);
    check(both.nearest == expected.both.nearest);
    check(exists(segment, phrase_a, phrase_b, window) == (both.pairs > 0));
    check(count_documents(segment, phrase_b, phrase_a, window) == both.documents);
    condense(segment, phrase_b);
    check(cooccurrence(segment, phrase_a, phrase_b, window).pairs == expected.both.pairs);
    check(count_documents(segment, phrase_a, phrase_b, window) == both.documents);
    check(locate_phrase(segment, phrase_a, SIZE_MAX).size() == count.occurrences);
    check(locate_pairs(segment, phrase_a, phrase_b, window, SIZE_MAX).size() == both.documents);
  }
  ::unlink(path.c_str());
  return 0;
}
