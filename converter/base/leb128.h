// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_LEB128_H_
#define PERF2X_BASE_LEB128_H_

#include <cstdint>

#include "converter/base/byte_reader.h"

namespace perf2x {

// Reads an address, or another value of `address_size` bytes. Requires a size
// of 4 or 8: with any other size, `in` fails and the result is 0.
inline uint64_t ReadAddress(ByteReader& in, uint8_t address_size) {
  if (address_size == 8) return in.U64();
  if (address_size == 4) return in.U32();
  in.Fail();
  return 0;
}

// Size of the longest accepted LEB128 integer, in bytes. 64 bits need only ten,
// but some linkers and assemblers pad.
inline constexpr int kMaxLeb128Size = 16;

// ReadUleb128 reads an unsigned LEB128 integer, ReadSleb128 a signed one (DWARF
// 5, 7.6). Both drop bits beyond the 64th. If the integer has more than
// kMaxLeb128Size bytes, or the bytes end before it does, `in` fails, and the
// result has no meaning.
inline uint64_t ReadUleb128(ByteReader& in) {
  const uint8_t first = in.U8();
  if (first < 0x80) return first;  // most are this short
  uint64_t value = first & 0x7f;
  for (int i = 1; i < kMaxLeb128Size; ++i) {
    const uint8_t byte = in.U8();
    if (7 * i < 64) value |= uint64_t{byte & 0x7fu} << (7 * i);
    // A reader at its end gives zero, which ends the loop.
    if ((byte & 0x80) == 0) return value;
  }
  in.Fail();
  return 0;
}

inline int64_t ReadSleb128(ByteReader& in) {
  uint64_t value = 0;
  for (int i = 0; i < kMaxLeb128Size; ++i) {
    const uint8_t byte = in.U8();
    if (7 * i < 64) value |= uint64_t{byte & 0x7fu} << (7 * i);
    if ((byte & 0x80) != 0) continue;
    const int bits = 7 * (i + 1);
    if (bits < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << bits;
    return static_cast<int64_t>(value);
  }
  in.Fail();
  return 0;
}

}  // namespace perf2x

#endif  // PERF2X_BASE_LEB128_H_
