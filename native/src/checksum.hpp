// CRC-32C, which finds every change of up to 32 bits in a row. Not a defence against forgery.
#pragma once

#include "bytes.hpp"

namespace averment {

// The checksum of some bytes, or of what `before` is the checksum of and these behind it.
uint32_t crc32c(const Byte* at, size_t n, uint32_t before = 0);

}  // namespace averment
