// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_FEATURE_READER_H_
#define PERF2X_PERF_HEADER_FEATURE_READER_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"

namespace perf2x {

// Reads the data of a header feature. Limits the memory that the caller keeps:
// a small compressed recording may have features of any size.
class FeatureReader : public ByteReader {
 public:
  // `*memory` is the number of bytes that are kept of all features so far.
  // ChargeMemory() increases `*memory`, to `max_memory` at most. `*memory` must
  // outlive the reader.
  FeatureReader(absl::Span<const uint8_t> data, ByteOrder order,
                uint64_t* memory, uint64_t max_memory)
      : ByteReader(data, order), memory_(memory), max_memory_(max_memory) {}

  // To be called before `bytes` bytes are kept. Adds them to `*memory`. If that
  // would exceed `max_memory`, adds nothing and makes the reader fail.
  void ChargeMemory(uint64_t bytes) {
    if (*memory_ <= max_memory_ && bytes <= max_memory_ - *memory_) {
      *memory_ += bytes;
    } else {
      Fail();
    }
  }

 private:
  uint64_t* memory_;
  uint64_t max_memory_;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_FEATURE_READER_H_
