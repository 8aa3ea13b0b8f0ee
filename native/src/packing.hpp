// Up to 128 ascending positions in few bytes: gaps of b bits, and the few that need more apart.
//
// A block is: the width b, the number of exceptions, the low b bits of every gap, then for each
// exception its place and its high bits. A gap counts the positions between two neighbours. Full
// blocks are laid out for four lanes, so that 128 gaps unpack without a branch.
#pragma once

#include "bytes.hpp"

namespace averment {

constexpr uint32_t kBlock = 128;

// Four neighbours in one register; GCC and clang turn this into SSE or NEON, or into plain code.
typedef uint32_t Lanes __attribute__((vector_size(16)));

// Appends positions[0 … n) as gaps from `previous`, the position before them (-1 as uint32_t at the
// start of a list). 1 <= n <= kBlock.
void pack_block(const uint32_t* positions, uint32_t n, uint32_t previous, Bytes& out);

// The opposite. `positions` has room for kBlock. The values ascend only if the bytes are sound.
void unpack_block(Reader block, uint32_t n, uint32_t previous, uint32_t* positions);

}  // namespace averment
