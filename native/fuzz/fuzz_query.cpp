// A small corpus, two phrases or sets of forms, and some of the documents out of the input; every
// answer must equal that of a scan.
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

bool is_at(const Document& document, size_t at, const Document& phrase) {
  return at + phrase.size() <= document.size() &&
         std::equal(phrase.begin(), phrase.end(), document.begin() + static_cast<ptrdiff_t>(at));
}

using Forms = std::vector<Document>;

// Where one phrase starts, or where several are matched from left to right, the longest first.
std::vector<uint64_t> starts(const Document& document, Forms forms) {
  std::sort(forms.begin(), forms.end(), [](const Document& a, const Document& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  std::vector<uint64_t> found;
  for (size_t at = 0, behind = 0; at < document.size(); ++at) {
    if (at < behind) continue;
    for (const Document& form : forms) {
      if (!is_at(document, at, form)) continue;
      found.push_back(at);
      if (forms.size() > 1) behind = at + form.size();
      break;
    }
  }
  return found;
}

struct Scan {
  PhraseCount count_a;
  Cooccurrence both;
};

Scan scan(const std::vector<Document>& corpus, const Forms& a, const Forms& b, uint64_t window) {
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
  Forms forms(Byte n_types) {
    Forms found(next() % 3 + 1);
    for (Document& form : found) form = words(next() % 4 + 1, n_types);
    return found;
  }
};

uint32_t number(PhraseTable& table, const Forms& forms, std::vector<std::string>& texts) {
  std::vector<std::string_view> views;
  for (const Document& form : forms) texts.push_back(spell(form));
  for (size_t i = texts.size() - forms.size(); i < texts.size(); ++i) views.push_back(texts[i]);
  return table.number_of_set(std::move(views));
}

void check_answers(const Segment& segment, Phrase& a, Phrase& b, uint64_t window,
                   const Scan& expected) {
  const PhraseCount count = count_phrase(segment, a);
  check(count.occurrences == expected.count_a.occurrences);
  check(count.documents == expected.count_a.documents);
  check(locate_phrase(segment, a, SIZE_MAX).size() == count.occurrences);
  const Cooccurrence both = cooccurrence(segment, a, b, {window}).front();
  check(both.pairs == expected.both.pairs);
  check(both.documents == expected.both.documents);
  check(both.nearest == expected.both.nearest);
  check(exists(segment, a, b, window) == (both.pairs > 0));
  check(count_documents(segment, b, a, window) == both.documents);
  check(locate_pairs(segment, a, b, window, SIZE_MAX).size() == both.documents);
  const auto by_window = cooccurrence(segment, b, a, {window + 1, window, UINT64_MAX});
  check(by_window[1].pairs == both.pairs && by_window[1].documents == both.documents);
  check(by_window[0].pairs >= both.pairs && by_window[2].nearest == both.nearest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t n) {
  Input input{bytes, bytes + n};
  const Byte n_types = input.next() % 5 + 1;
  const uint64_t window = input.next() % 40;
  BuildOptions options;
  options.frequent_min_count = input.next() % 20;
  options.frequent_min_share = 0;
  options.bitmap_min_share = input.next() % 3 / 4.0;
  const Forms a = input.forms(n_types), b = input.forms(n_types);
  std::vector<Document> corpus, some;
  std::string members;
  while (input.at < input.end) {
    if (corpus.size() % 8 == 0) members.push_back(0);
    const Byte length = input.next(), is_member = input.next() % 4 > 0;
    corpus.push_back(input.words(length, n_types));
    if (is_member) some.push_back(corpus.back());
    members.back() = static_cast<char>(members.back() | is_member << (corpus.size() - 1) % 8);
  }

  const std::string path = "/dev/shm/averment-fuzz-" + std::to_string(::getpid());
  ::unlink(path.c_str());
  SegmentBuilder builder(options);
  for (const Document& document : corpus) check(builder.add(spell(document)) == document.size());
  builder.finish(path);
  {
    const Segment segment(path);
    check(segment.verify().empty());
    PhraseTable table;
    std::vector<std::string> texts;
    texts.reserve(a.size() + b.size());
    const uint32_t number_a = number(table, a, texts), number_b = number(table, b, texts);
    auto phrases = resolve(segment, table);
    Phrase &phrase_a = phrases[number_a], &phrase_b = phrases[number_b];
    const Scan all = scan(corpus, a, b, window), among = scan(some, a, b, window);
    const Segment view = segment.among(members);
    check_answers(segment, phrase_a, phrase_b, window, all);
    check_answers(view, phrase_a, phrase_b, window, among);
    condense(segment, phrase_b);
    check(cooccurrence(segment, phrase_a, phrase_b, {window}).front().pairs == all.both.pairs);
    check(count_documents(segment, phrase_a, phrase_b, window) == all.both.documents);
    check(count_documents(view, phrase_a, phrase_b, window) == among.both.documents);
  }
  ::unlink(path.c_str());
  return 0;
}
