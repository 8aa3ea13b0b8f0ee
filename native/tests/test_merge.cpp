#include "built.hpp"
#include "check.hpp"
#include "merge.hpp"

using namespace averment;

namespace {

std::vector<std::string> texts(uint32_t seed, size_t n_documents) {
  std::vector<std::string> made;
  for (size_t document = 0; document < n_documents; ++document) {
    std::string text;
    for (uint32_t word = 0; word < seed % 60; ++word) {
      seed = seed * 1664525 + 1013904223;
      text += "w" + std::to_string((seed >> 24) % (1 + (seed >> 16) % 40)) + " ";
    }
    made.push_back(text);
    seed = seed * 1664525 + 1013904223;
  }
  return made;
}

std::string merged_bytes(const std::vector<Segment>& sources, const BuildOptions& options) {
  const std::string path = std::string(std::tmpnam(nullptr)) + ".averment-merged";
  merge(sources, path, options);
  const std::string bytes = Built::bytes_of(path);
  std::remove(path.c_str());
  return bytes;
}

}  // namespace

TEST(a_merge_is_the_segment_of_all_documents) {
  const auto first = texts(1, 400), second = texts(2, 90);
  auto all = first;
  all.insert(all.end(), second.begin(), second.end());
  for (const uint32_t frequent : {0u, 1u, 200u}) {
    BuildOptions options = everything();
    const Built a(first, options), b(second, options);
    options.frequent_min_count = frequent;
    const Segment in_a(a.path()), in_b(b.path());
    CHECK(merged_bytes({in_a, in_b}, options) == Built(all, options).bytes());
  }
}

TEST(a_merge_drops_what_is_not_a_member) {
  const auto all = texts(3, 200);
  std::vector<std::string> kept;
  std::string members(25, '\0');
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % 3 == 1) continue;
    kept.push_back(all[i]);
    members[i / 8] = static_cast<char>(members[i / 8] | 1 << i % 8);
  }
  const Built source(all, everything());
  const Segment segment(source.path());
  CHECK(merged_bytes({segment.among(members)}, everything()) == Built(kept, everything()).bytes());
}

TEST(a_merge_says_what_is_damaged) {
  const Built source(texts(4, 50), everything());
  std::string bytes = source.bytes();
  bytes[bytes.size() / 2] ^= 1;
  source.write(bytes);
  const Segment segment(source.path());
  CHECK_THROWS(FormatError, merged_bytes({segment}, everything()));
}
