// Any bytes as a segment file: opening, asking and merging either works or is a FormatError.
//
// Built with FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION checksums always fit, so that the mutations
// reach the decoders behind them.
#include <fcntl.h>
#include <unistd.h>

#include "merge.hpp"
#include "query.hpp"

using namespace averment;

namespace {

// Writes the bytes where `Segment` can open them, with a header that gets past the first checks.
std::string as_file(const uint8_t* from, size_t n) {
  static const std::string path = "/dev/shm/averment-fuzz-" + std::to_string(::getpid());
  Bytes bytes(from, from + n);
  const uint64_t length = n;
  if (n >= 32) {
    std::memcpy(bytes.data(), "AVERMENT", 8);
    std::memcpy(bytes.data() + 8, &kFormatVersion, sizeof kFormatVersion);
    std::memcpy(bytes.data() + 16, &length, sizeof length);
  }
  ::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::write(file, bytes.data(), n) != static_cast<ssize_t>(n)) std::abort();
  ::close(file);
  return path;
}

// One question that fails must not keep the next from being asked.
template <class Ask>
void attempt(Ask ask) {
  try {
    ask();
  } catch (const FormatError&) {
  }
}

void ask_about(const Segment& segment, const Phrase& a, const Phrase& b) {
  attempt([&] { exists(segment, a, b, 3); });
  attempt([&] { count_documents(segment, a, b, 20); });
  attempt([&] { cooccurrence(segment, a, b, {1000}); });
  attempt([&] { locate_pairs(segment, a, b, 5, 2); });
}

void ask(const Segment& segment) {
  std::vector<Phrase> phrases;
  for (const char* text : {"a", "b", "a b", "b c a", "c", "d", "e f", "w\u00f6rt", "absent",
                           "a\xFF"
                           "b a\xFF"
                           "b"}) {
    attempt([&] {
      PhraseTable table;
      table.number(text);
      phrases.push_back(std::move(resolve(segment, table).front()));
    });
  }
  const auto ask_all = [&] {
    for (const Phrase& a : phrases) {
      attempt([&] { count_phrase(segment, a); });
      attempt([&] { locate_phrase(segment, a, 3); });
      for (const Phrase& b : phrases) ask_about(segment, a, b);
    }
  };
  ask_all();
  for (Phrase& phrase : phrases) attempt([&] { condense(segment, phrase); });
  ask_all();
}

// All of it, and every second document behind it.
void merge_with_itself(const Segment& segment, const std::string& path) {
  const uint32_t n = segment.documents().size();
  if (n && segment.documents()[n - 1].end > 1 << 20) return;  // memory for nothing
  const std::string half((size_t{n} + 7) / 8, 0x55);
  BuildOptions options;
  options.frequent_min_count = 2;
  options.frequent_min_share = 0;
  ::unlink(path.c_str());
  merge({segment, segment.among(half)}, path, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t n) {
  const std::string path = as_file(bytes, n);
  attempt([&] {
    const Segment segment(path);
    segment.verify();
    uint64_t total = 0;
    attempt([&] {
      segment.words().for_each([&](const auto& entry) { total += entry.postings().count; });
    });
    ask(segment);
    attempt([&] { merge_with_itself(segment, path + "-merged"); });
  });
  ::unlink(path.c_str());
  ::unlink((path + "-merged").c_str());
  return 0;
}
