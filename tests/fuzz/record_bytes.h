// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_RECORD_BYTES_H_
#define PERF2X_TESTS_FUZZ_RECORD_BYTES_H_

#include <algorithm>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/base/byte_order.h"
#include "tests/fuzz/record_sequence.h"

// The bytes of recordings, as RecordSequence reads and writes them.
namespace perf2x {

inline constexpr size_t kFileHeader = 104, kPipeHeader = 16, kRecordHeader = 8;
inline constexpr size_t kMaxBody = 0xffff - kRecordHeader;

template <class T>
T Get(FuzzInput bytes, size_t at, ByteOrder order) {
  return at <= bytes.size() && sizeof(T) <= bytes.size() - at
             ? Load<T>(bytes.data() + at, order)
             : T{0};
}

template <class T>
void Put(T value, ByteOrder order, ByteVector* out) {
  out->resize(out->size() + sizeof(value));
  Store(value, out->data() + out->size() - sizeof(value), order);
}

inline void Append(FuzzInput bytes, ByteVector* out) {
  out->insert(out->end(), bytes.begin(), bytes.end());
}

inline ByteVector Vector(FuzzInput bytes) {
  return {bytes.begin(), bytes.end()};
}

inline FuzzInput Part(FuzzInput bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size()) return {};
  return bytes.subspan(offset, std::min<uint64_t>(size, bytes.size() - offset));
}

inline ByteVector MagicOf(ByteOrder order) {
  constexpr absl::string_view kMagic[] = {"PERFILE2", "2ELIFREP"};
  const absl::string_view magic = kMagic[order == ByteOrder::kLittle ? 0 : 1];
  return {magic.begin(), magic.end()};
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_RECORD_BYTES_H_
