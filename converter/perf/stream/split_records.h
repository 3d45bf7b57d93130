// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_SPLIT_RECORDS_H_
#define PERF2X_PERF_STREAM_SPLIT_RECORDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// Joins the slices of a record. simpleperf cuts a record that is too large into
// SPLIT records (RecordFileReader::ReadRecord()). Not thread-safe.
class SplitRecords {
 public:
  // A record that was joined; `body` is without the header.
  struct Record {
    uint32_t type = 0;
    std::vector<uint8_t> body;
  };
  // Adds a copy of `slice`, the body of a SPLIT record. If the slices would
  // exceed 64 MiB, drops them all: then Take() returns nullopt.
  void Add(absl::Span<const uint8_t> slice);
  // Joins the slices that were added since the last call, and forgets them.
  // Returns nullopt unless they are exactly one record of one of simpleperf's
  // own types, other than SPLIT and SPLIT_END. `order` is the recording's byte
  // order.
  std::optional<Record> Take(ByteOrder order);

 private:
  std::vector<uint8_t> bytes_;  // header and body of the record
  bool is_too_large_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_SPLIT_RECORDS_H_
