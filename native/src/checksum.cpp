#include "checksum.hpp"

#include <array>

namespace averment {
namespace {

// Eight tables, so that eight bytes are taken at a time ("slicing by 8").
constexpr std::array<std::array<uint32_t, 256>, 8> make_tables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (auto& table : tables) {
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
      table[byte] = crc;
    }
  }
  return tables;
}
constexpr auto kTables = make_tables();

// Both take whole eights of bytes.
uint32_t by_tables(const Byte* at, const Byte* end, uint32_t crc) {
  for (; at < end; at += 8) {
    const uint64_t eight = load<uint64_t>(at) ^ crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][eight >> 8 * i & 0xFF];
  }
  return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) uint32_t by_instruction(const Byte* at, const Byte* end,
                                                          uint32_t crc) {
  uint64_t wide = crc;
  for (; at < end; at += 8) wide = __builtin_ia32_crc32di(wide, load<uint64_t>(at));
  return static_cast<uint32_t>(wide);
}

const auto eights = __builtin_cpu_supports("sse4.2") ? by_instruction : by_tables;
#else
constexpr auto eights = by_tables;
#endif

}  // namespace

uint32_t crc32c(const Byte* at, size_t n, uint32_t before) {
  const Byte* const end = at + n;
  uint32_t crc = eights(at, end - n % 8, ~before);
  for (at = end - n % 8; at < end; ++at) crc = crc >> 8 ^ kTables[0][(crc ^ *at) & 0xFF];
  return ~crc;
}

}  // namespace averment
