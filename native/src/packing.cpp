#include "packing.hpp"

#include <algorithm>
#include <utility>

namespace averment {
namespace {

uint32_t n_bits(uint32_t value) {
  return 63 - static_cast<uint32_t>(__builtin_clzll(uint64_t{value} << 1 | 1));
}

uint32_t packed_bytes(uint32_t n, uint32_t width) { return (n * width + 7) / 8; }

// The width that makes the block smallest. The gaps go on with zeros to a multiple of four.
uint32_t best_width(const uint32_t* gaps, uint32_t n) {
  // Four tables, since neighbours often need as many bits, and one would wait for the other.
  Byte of_bits[4][33] = {};
  for (uint32_t i = 0; i < n; i += 4) {
    ++of_bits[0][n_bits(gaps[i])];
    ++of_bits[1][n_bits(gaps[i + 1])];
    ++of_bits[2][n_bits(gaps[i + 2])];
    ++of_bits[3][n_bits(gaps[i + 3])];
  }
  uint32_t wider[33 + 35];  // how many gaps need more bits
  uint32_t widest = 0;
  for (uint32_t bits = 1; bits <= 32; ++bits) {
    wider[bits - 1] = of_bits[0][bits] + of_bits[1][bits] + of_bits[2][bits] + of_bits[3][bits];
    if (wider[bits - 1]) widest = bits;
  }
  std::fill(wider + widest, wider + 68, 0);
  for (uint32_t width = widest; width-- > 0;) wider[width] += wider[width + 1];
  uint32_t best = widest, best_bytes = packed_bytes(n, widest);
  for (uint32_t width = 0; width < widest; ++width) {
    // An exception takes a byte for its place and one for each seven bits that are left.
    uint32_t bytes = packed_bytes(n, width) + wider[width];
    for (uint32_t more = width; more < widest; more += 7) bytes += wider[more];
    if (bytes < best_bytes) best = width, best_bytes = bytes;
  }
  return best;
}

void pack_full(const uint32_t* gaps, uint32_t width, Byte* out) {
  Lanes packed[32] = {};
  for (uint32_t row = 0; row < 32; ++row) {
    const Lanes values = load<Lanes>(gaps + 4 * row) & (~uint32_t{0} >> (31 - (width - 1)));
    const uint32_t at = row * width / 32, shift = row * width % 32;
    packed[at] |= values << shift;
    if (shift + width > 32) packed[at + 1] |= values >> (32 - shift);
  }
  std::memcpy(out, packed, 16 * width);
}

template <uint32_t width>
void unpack_full(const Byte* packed, uint32_t* gaps) {
  constexpr uint32_t mask = ~uint32_t{0} >> (31 - (width - 1));
#pragma GCC unroll 32
  for (uint32_t row = 0; row < 32; ++row) {
    const uint32_t at = row * width / 32, shift = row * width % 32;
    Lanes values = load<Lanes>(packed + 16 * at) >> shift;
    if (shift + width > 32) values |= load<Lanes>(packed + 16 * at + 16) << (32 - shift);
    values &= mask;
    std::memcpy(gaps + 4 * row, &values, sizeof values);
  }
}

// One function for each width 1 … 32, so that all shifts are constants.
template <uint32_t... w>
void unpack_full(const Byte* packed, uint32_t width, uint32_t* gaps,
                 std::integer_sequence<uint32_t, w...>) {
  constexpr void (*of_width[])(const Byte*, uint32_t*) = {unpack_full<w + 1>...};
  of_width[width - 1](packed, gaps);
}
using Widths = std::make_integer_sequence<uint32_t, 32>;

void pack_short(const uint32_t* gaps, uint32_t n, uint32_t width, Byte* out) {
  uint64_t pending = 0;
  uint32_t n_pending = 0;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  for (uint32_t i = 0; i < n; ++i) {
    pending |= (gaps[i] & mask) << n_pending;
    for (n_pending += width; n_pending >= 8; n_pending -= 8, pending >>= 8) {
      *out++ = static_cast<Byte>(pending);
    }
  }
  if (n_pending) *out = static_cast<Byte>(pending);
}

void unpack_short(Reader packed, uint32_t n, uint32_t width, uint32_t* gaps) {
  Byte padded[4 * kBlock + 8];  // eight bytes are read wherever a gap begins
  std::memcpy(padded, packed.at, packed.left());
  std::memset(padded + packed.left(), 0, 8);
  const uint64_t mask = (uint64_t{1} << width) - 1;
  for (uint32_t i = 0, bit = 0; i < n; ++i, bit += width) {
    gaps[i] = static_cast<uint32_t>(load<uint64_t>(padded + bit / 8) >> bit % 8 & mask);
  }
  std::fill(gaps + n, gaps + (n + 3) / 4 * 4, 0);  // `sum_up` takes four at a time
}

// Moves lanes up by `n`, from lane 3 of `lower`.
template <int n>
Lanes shifted(Lanes lower, Lanes upper) {
#ifdef __clang__
  return __builtin_shufflevector(lower, upper, 4 - n, 5 - n, 6 - n, 7 - n);
#else
  return __builtin_shuffle(lower, upper, Lanes{4 - n, 5 - n, 6 - n, 7 - n});
#endif
}

// Gaps become positions, four at a time. Wraps around where the bytes are not sound.
void sum_up(uint32_t* gaps, uint32_t n, uint32_t previous) {
  Lanes before = Lanes{} + previous;
  for (uint32_t i = 0; i < n; i += 4) {
    Lanes sums = load<Lanes>(gaps + i) + 1;
    sums += shifted<1>(Lanes{}, sums);
    sums += shifted<2>(Lanes{}, sums);
    sums += before;
    std::memcpy(gaps + i, &sums, sizeof sums);
    before = Lanes{} + sums[3];
  }
}

}  // namespace

void pack_block(const uint32_t* positions, uint32_t n, uint32_t previous, Bytes& out) {
  uint32_t gaps[kBlock];
  gaps[0] = positions[0] - previous - 1;
  for (uint32_t i = 1; i < n; ++i) gaps[i] = positions[i] - positions[i - 1] - 1;
  std::fill(gaps + n, gaps + (n + 3) / 4 * 4, 0);
  const uint32_t width = best_width(gaps, n);
  const uint32_t largest = static_cast<uint32_t>((uint64_t{1} << width) - 1);
  Byte exceptions[kBlock];
  uint32_t n_exceptions = 0;
  for (uint32_t i = 0; i < n; ++i) {
    exceptions[n_exceptions] = static_cast<Byte>(i);
    n_exceptions += gaps[i] > largest;
  }
  const size_t start = out.size();
  out.resize(start + 2 + packed_bytes(n, width));
  out[start] = static_cast<Byte>(width);
  out[start + 1] = static_cast<Byte>(n_exceptions);
  if (n < kBlock) {
    pack_short(gaps, n, width, out.data() + start + 2);
  } else if (width) {
    pack_full(gaps, width, out.data() + start + 2);
  }
  for (uint32_t i = 0; i < n_exceptions; ++i) {
    out.push_back(exceptions[i]);
    append_varint(out, gaps[exceptions[i]] >> width);
  }
}

void unpack_block(Reader block, uint32_t n, uint32_t previous, uint32_t* positions) {
  if (block.left() < 2) throw FormatError("a block of positions is cut off");
  const uint32_t width = block.at[0];
  const uint32_t n_exceptions = block.at[1];
  block.at += 2;
  if (width > 32 || n_exceptions > n) throw FormatError("a block of positions makes no sense");
  const Reader packed = block.take(packed_bytes(n, width));
  if (n < kBlock) {
    unpack_short(packed, n, width, positions);
  } else if (width) {
    unpack_full(packed.at, width, positions, Widths{});
  } else {
    std::fill_n(positions, kBlock, 0);
  }
  for (uint32_t i = 0; i < n_exceptions; ++i) {
    const Byte place = block.take(1).at[0];
    const uint32_t high = block.varint32();
    if (place >= n || width == 32) throw FormatError("a block of positions makes no sense");
    positions[place] |= high << width;
  }
  sum_up(positions, n, previous);
}

}  // namespace averment
