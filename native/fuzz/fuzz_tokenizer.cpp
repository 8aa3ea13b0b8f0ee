// Any bytes as text, whole and in slices, and through a builder and back.
#include <unistd.h>

#include <cstdlib>

#include "builder.hpp"
#include "query.hpp"
#include "unicode.hpp"

using namespace averment;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t n) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), n);
  for (const bool fold_accents : {false, true}) {
    Words whole;
    tokenize_all(text, fold_accents, whole);
    may_need_nfc(bytes, bytes + n);

    size_t n_words = 0;
    Words slice;
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view part = first_part(rest, 7);
      slice.clear();
      tokenize_all(part, fold_accents, slice);
      rest.remove_prefix(part.size());
      for (size_t i = 0; i < slice.size(); ++i, ++n_words) check(slice[i] == whole[n_words]);
    }
    check(n_words == whole.size());

    std::vector<uint64_t> hashes;
    hash_all(whole, hashes);
    std::vector<uint32_t> ids(whole.size());
    Vocabulary vocabulary;
    vocabulary.number(whole, hashes, ids.data());
    for (size_t i = 0; i < ids.size(); ++i) check(vocabulary[ids[i]] == whole[i]);
  }
  return 0;
}
