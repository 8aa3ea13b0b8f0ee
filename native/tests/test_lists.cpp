#include <algorithm>
#include <random>

#include "check.hpp"
#include "checksum.hpp"
#include "dictionary.hpp"
#include "documents.hpp"
#include "parallel.hpp"

using namespace averment;

namespace {

using Positions = std::vector<uint32_t>;

Positions random_positions(std::mt19937& draw, size_t n, uint32_t largest_gap) {
  Positions positions;
  uint32_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    at += draw() % largest_gap + (draw() % 50 ? 0 : largest_gap * 100);
    positions.push_back(at++);
  }
  return positions;
}

// A list as it would be read from a file; `bytes` must outlive it.
Postings stored(const Positions& positions, Bytes& bytes) {
  Postings postings;
  postings.count = static_cast<uint32_t>(positions.size());
  postings.documents = 1;
  Bytes record;
  append_record(postings, positions.data(), record);
  if (postings.count > kFew) append_blocks(positions.data(), postings.count, bytes);
  Reader reader{record.data(), record.data() + record.size()};
  Postings read = read_record(reader);
  read.blocks = {bytes.data(), bytes.data() + bytes.size()};
  CHECK(read.count == postings.count && reader.left() == 0);
  return read;
}

}  // namespace

TEST(blocks_of_every_length_and_width_unpack_to_what_was_packed) {
  std::mt19937 draw(1);
  for (uint32_t n = 1; n <= kBlock; ++n) {
    for (uint32_t bits = 0; bits <= 20; ++bits) {
      const Positions positions = random_positions(draw, n, 1u << bits);
      Bytes bytes;
      pack_block(positions.data(), n, kNone, bytes);
      uint32_t unpacked[kBlock];
      unpack_block({bytes.data(), bytes.data() + bytes.size()}, n, kNone, unpacked);
      CHECK(std::equal(positions.begin(), positions.end(), unpacked));
    }
  }
}

TEST(a_block_that_is_cut_off_is_refused) {
  std::mt19937 draw(2);
  for (const uint32_t n : {5u, 127u, 128u}) {
    const Positions positions = random_positions(draw, n, 1000);
    Bytes bytes;
    pack_block(positions.data(), n, kNone, bytes);
    for (size_t length = 0; length < bytes.size(); ++length) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length));
      uint32_t unpacked[kBlock];
      CHECK_THROWS(FormatError,
                   unpack_block({cut.data(), cut.data() + cut.size()}, n, kNone, unpacked));
    }
  }
}

TEST(a_cursor_finds_what_a_binary_search_finds) {
  std::mt19937 draw(3);
  for (const size_t n : {1, 4, 5, 127, 128, 129, 256, 1000, 5000}) {
    for (const uint32_t gap : {1u, 3u, 1000u}) {
      const Positions positions = random_positions(draw, n, gap);
      for (int walk = 0; walk < 20; ++walk) {
        Bytes bytes;
        ListCursor cursor(stored(positions, bytes));
        const uint32_t stride = 1u << walk;
        for (uint64_t target = 0;; target += draw() % stride + 1) {
          const auto expected = std::lower_bound(positions.begin(), positions.end(), target);
          const uint64_t found = cursor.next_geq(target);
          CHECK(cursor.rank() == static_cast<uint32_t>(expected - positions.begin()));
          if (expected == positions.end()) {
            CHECK(found == kEnd && cursor.next_geq(target + 1) == kEnd);
            break;
          }
          CHECK(found == *expected);
        }
      }
    }
  }
}

TEST(positions_are_read_from_any_block_and_full_blocks_are_copied) {
  std::mt19937 draw(5);
  for (const uint32_t n : {1u, 5u, 128u, 129u, 256u, 300u, 2000u}) {
    const Positions positions = random_positions(draw, n + 200, 50);
    Bytes bytes, whole, continued;
    const Postings head = stored({positions.begin(), positions.begin() + n}, bytes);
    for (uint32_t first = 0; first <= copied_blocks(head); ++first) {
      Positions read(n + kBlock);
      read_positions(head, first, read.data());
      CHECK(std::equal(positions.begin() + first * kBlock, positions.begin() + n, read.begin()));
    }
    if (n <= kFew) continue;
    append_blocks(positions.data(), n + 200, whole);
    Positions rest = positions;
    std::fill_n(rest.begin(), copied_blocks(head) * kBlock, 0);
    append_blocks(rest.data(), n + 200, continued, &head);
    CHECK(whole == continued);
  }
}

TEST(targets_beyond_all_positions_end_a_list) {
  Bytes bytes;
  for (const size_t n : {3, 50, 500}) {
    bytes.clear();
    std::mt19937 draw(4);
    ListCursor cursor(stored(random_positions(draw, n, 9), bytes));
    CHECK(cursor.next_geq(uint64_t{1} << 40) == kEnd);
  }
}

TEST(a_dictionary_finds_its_keys_and_no_others) {
  std::vector<std::string> keys;
  for (int i = 0; i < 3000; ++i) keys.push_back("key" + std::to_string(i) + std::string(8, '\0'));
  const auto view = [](const std::string& key) {
    return std::string_view(key).substr(0, key.size() - 8);
  };
  std::sort(keys.begin(), keys.end(), [&](const std::string& a, const std::string& b) {
    return hash_word(view(a)) < hash_word(view(b));
  });
  DictionaryWriter writer(keys.size());
  for (uint32_t i = 0; i < keys.size(); ++i) {
    Postings postings;
    postings.count = postings.documents = 1;
    Bytes record;
    append_record(postings, &i, record);
    writer.add(view(keys[i]), {record.data(), record.data() + record.size()}, 0);
  }
  writer.finish();
  const Bytes& entries = writer.entries();
  const Dictionary dictionary(
      writer.offsets().data(), static_cast<uint32_t>(writer.offsets().size() - 1),
      {entries.data(), entries.data() + entries.size()}, {nullptr, nullptr});
  for (uint32_t i = 0; i < keys.size(); ++i) CHECK(dictionary.find(view(keys[i]))->few[0] == i);
  CHECK(!dictionary.find(std::string_view("absent\0\0\0\0\0\0\0\0", 6)));
  size_t n = 0;
  dictionary.for_each([&](const auto&) { ++n; });
  CHECK(n == keys.size());
}

TEST(documents_know_their_positions) {
  const std::vector<uint32_t> starts = {0, 1, 5, 6, 1000, 1002};
  const Documents documents(starts.data(), 5);
  CHECK(documents.of(1).number == 1 && documents.of(3).number == 1);
  CHECK(documents.of(6).number == 3 && documents.of(998).number == 3);
  CHECK(documents.of(1000).number == 4);
  for (const uint64_t free : {0u, 4u, 5u, 999u, 1001u, 1002u, 4000000000u}) {
    CHECK_THROWS(FormatError, documents.of(free));
  }
}

TEST(checksums_are_crc32c) {
  const std::string digits = "123456789";
  const Byte* at = reinterpret_cast<const Byte*>(digits.data());
  CHECK(crc32c(at, 9) == 0xE3069283);
  CHECK(crc32c(at + 4, 5, crc32c(at, 4)) == 0xE3069283);
}

TEST(parts_are_taken_in_order_whatever_the_threads) {
  for (const unsigned n_threads : {0u, 1u, 2u, 5u, 4000000000u}) {
    std::vector<size_t> made(100), taken;
    in_order(
        100, n_threads, [&](size_t part, unsigned) { made[part] = part * part; },
        [&](size_t part, unsigned worker) {
          CHECK(worker < n_workers(n_threads));
          taken.push_back(made[part]);
        });
    for (size_t part = 0; part < 100; ++part) CHECK(taken[part] == part * part);
  }
}

TEST(the_error_of_a_part_ends_the_work) {
  for (const unsigned n_threads : {1u, 3u}) {
    size_t n_taken = 0;
    CHECK_THROWS(QueryError, in_order(
                                 1000, n_threads,
                                 [](size_t part, unsigned) {
                                   if (part == 50) throw QueryError("no");
                                 },
                                 [&](size_t, unsigned) { ++n_taken; }));
    CHECK(n_taken <= 50);
  }
}
