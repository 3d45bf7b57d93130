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
  // `blob` is the tracing data, in the layout of perf's trace-event-info.c; it
  // is copied. Fails with InvalidArgument if its header is damaged. Skips
  // formats that cannot be parsed and, of formats with the same id, all but the
  // first. Counts formats that cannot be parsed, and truncated data, in
  // `diagnostics`.
  static absl::StatusOr<TracepointFormats> Parse(absl::Span<const uint8_t> blob,
                                                 Diagnostics& diagnostics);

  // Returns the format of the event with this id, which is the `config` of its
  // perf_event_attr. Null if not known; valid as long as this object.
  const TracepointFormat* Find(uint64_t id) const {
    auto it = by_id_.find(id);
    return it == by_id_.end() ? nullptr : &formats_[it->second];
  }
  size_t size() const { return formats_.size(); }

 private:
  std::deque<TracepointFormat> formats_;
  absl::flat_hash_map<uint64_t, size_t> by_id_;
};

}  // namespace perf2x

#endif  // PERF2X_TRACEPOINT_FORMATS_H_
