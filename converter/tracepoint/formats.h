// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TRACEPOINT_FORMATS_H_
#define PERF2X_TRACEPOINT_FORMATS_H_

#include <cstdint>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/diagnostics.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// The event formats of a recording, from its tracing data: the TRACING_DATA
// feature or, in a stream, the payload of HEADER_TRACING_DATA.
class TracepointFormats {
 public:
  // `blob` is the tracing data, in the layout of perf's trace-event-info.c. It
  // need not outlive the call. Fails with InvalidArgument if the header of
  // `blob` is damaged. Skips formats that cannot be parsed. If `blob` is
  // truncated, returns the formats before that. Counts both in `diagnostics`.
  // If several formats have the same id, keeps the first.
  static absl::StatusOr<TracepointFormats> Parse(absl::Span<const uint8_t> blob,
                                                 Diagnostics& diagnostics);

  // Returns the format of the event with this id, which is the `config` of its
  // perf_event_attr; null if there is none. Valid as long as this object.
  const TracepointFormat* Find(uint64_t id) const {
    auto it = by_id_.find(id);
    return it == by_id_.end() ? nullptr : &formats_[it->second];
  }
  // Returns the number of formats.
  size_t size() const { return formats_.size(); }
  // Returns the approximate memory of all formats, in bytes.
  uint64_t memory() const { return memory_; }

 private:
  std::deque<TracepointFormat> formats_;
  absl::flat_hash_map<uint64_t, size_t> by_id_;
  uint64_t memory_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_TRACEPOINT_FORMATS_H_
