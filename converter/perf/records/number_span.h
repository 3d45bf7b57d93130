// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_NUMBER_SPAN_H_
#define PERF2X_PERF_RECORDS_NUMBER_SPAN_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// An array of unsigned numbers inside a record, unaligned and in the
// recording's byte order. Valid as long as the record's bytes. operator[] does
// not check its index.
class NumberSpan {
 public:
  NumberSpan() = default;
  // `width`, the bytes of a number, is 2, 4 or 8. The size of `bytes` is a
  // multiple of it.
  NumberSpan(absl::Span<const uint8_t> bytes, size_t width, ByteOrder order)
      : bytes_(bytes), width_(width), order_(order) {}

  size_t size() const { return bytes_.size() / width_; }
  bool empty() const { return bytes_.empty(); }
  size_t width() const { return width_; }
  uint64_t operator[](size_t i) const {
    const uint8_t* p = bytes_.data() + i * width_;
    if (width_ == 2) return Load<uint16_t>(p, order_);
    if (width_ == 4) return Load<uint32_t>(p, order_);
    return Load<uint64_t>(p, order_);
  }

 private:
  absl::Span<const uint8_t> bytes_;
  size_t width_ = 8;
  ByteOrder order_ = kHostOrder;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_NUMBER_SPAN_H_
