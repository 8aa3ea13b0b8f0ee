// Any bytes as a segment file: opening and asking either works or is a FormatError.
//
// Built with FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION checksums always fit, so that the mutations
// reach the decoders behind them.
#include <fcntl.h>
#include <unistd.h>

#include "query.hpp"

using namespace averment;

namespace {

// Writes the bytes where `Segment` can open them; the same file each time, so that it stays small.
std::string as_file(const uint8_t* bytes, size_t n) {
  static const std::string path = "/dev/shm/averment-fuzz-" + std::to_string(::getpid());
  ::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::write(file, bytes, n) != static_cast<ssize_t>(n)) std::abort();
  ::close(file);
  return path;
}

void ask(const Segment& segment) {
  PhraseTable table;
  std::vector<PhrasePair> pairs;
  for (const char* text : {"a", "b", "a b", "b c a", "c", "d", "e f", "w\u00f6rt", "absent"}) {
    table.number(text);
  }
  const std::vector<Phrase> phrases = resolve(segment, table);
  for (const Phrase& a : phrases) {
    count_phrase(segment, a);
    locate_phrase(segment, a, 3);
    for (const Phrase& b : phrases) {
      exists(segment, a, b, 3);
      count_documents(segment, a, b, 20);
      cooccurrence(segment, a, b, 1000);
      locate_pairs(segment, a, b, 5, 2);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t n) {
  const std::string path = as_file(bytes, n);
  try {
    const Segment segment(path);
    segment.verify();
    uint64_t total = 0;
    segment.words().for_each([&](const DictionaryEntry& entry) { total += entry.postings.count; });
    // Each question on its own, as one that fails must not hide the next.
    ask(segment);
  } catch (const FormatError&) {
  }
  ::unlink(path.c_str());
  return 0;
}
