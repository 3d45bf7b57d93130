// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BYTE_ORDER_H_
#define PERF2X_BASE_BYTE_ORDER_H_

#include <bit>
#include <cstdint>
#include <cstring>

namespace perf2x {

// The byte order that a recording was written in.
enum class ByteOrder : uint8_t { kLittle, kBig };

// The byte order of the machine that runs perf2x.
inline constexpr ByteOrder kHostOrder =
    std::endian::native == std::endian::little ? ByteOrder::kLittle
                                               : ByteOrder::kBig;

// Return `v` with its bytes in reverse order.
inline uint8_t ByteSwap(uint8_t v) { return v; }
inline uint16_t ByteSwap(uint16_t v) { return __builtin_bswap16(v); }
inline uint32_t ByteSwap(uint32_t v) { return __builtin_bswap32(v); }
inline uint64_t ByteSwap(uint64_t v) { return __builtin_bswap64(v); }

// Reads an unsigned integer of `order` at `p`, which need not be aligned.
template <class T>
T Load(const uint8_t* p, ByteOrder order) {
  T v;
  std::memcpy(&v, p, sizeof(v));
  return order == kHostOrder ? v : ByteSwap(v);
}

// Writes the unsigned integer `v` in `order` at `p`, which need not be aligned.
template <class T>
void Store(T v, uint8_t* p, ByteOrder order) {
  if (order != kHostOrder) v = ByteSwap(v);
  std::memcpy(p, &v, sizeof(v));
}

}  // namespace perf2x

#endif  // PERF2X_BASE_BYTE_ORDER_H_
