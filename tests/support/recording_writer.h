// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_RECORDING_WRITER_H_
#define PERF2X_TESTS_SUPPORT_RECORDING_WRITER_H_

#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/encode.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {

// Writes numbers in a recording's byte order.
class RecordingWriter {
 public:
  explicit RecordingWriter(ByteOrder order) : order_(order) {}
  template <class T>
  void Put(T value) {
    bytes_.resize(bytes_.size() + sizeof(value));
    Store(value, bytes_.data() + bytes_.size() - sizeof(value), order_);
  }
  void Put(const ByteVector& bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void PutRecord(uint32_t type, uint16_t misc, const ByteVector& body) {
    Put(type);
    Put(misc);
    Put(static_cast<uint16_t>(body.size() + 8));
    Put(body);
  }
  void PutRecord(const Recording::Record& r) {
    PutRecord(r.type, r.misc, r.body);
    Put(r.payload);
  }
  void PutSection(uint64_t offset, uint64_t size) {
    Put(offset);
    Put(size);
  }
  size_t size() const { return bytes_.size(); }
  ByteVector Take() { return std::move(bytes_); }

 private:
  ByteOrder order_;
  ByteVector bytes_;
};

inline ByteVector ToVector(absl::Span<const uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}

// Returns the body of a HEADER_ATTR record.
inline ByteVector AttrRecord(const Recording::Event& event, ByteOrder order) {
  RecordingWriter out(order);
  out.Put(EncodeAttr(event.attr, order));
  for (const uint64_t id : event.ids) out.Put(id);
  return out.Take();
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_RECORDING_WRITER_H_
