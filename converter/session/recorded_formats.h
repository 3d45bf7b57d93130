// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORDED_FORMATS_H_
#define PERF2X_SESSION_RECORDED_FORMATS_H_

#include <cstdint>
#include <optional>

#include "converter/base/diagnostics.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"
#include "converter/tracepoint/formats.h"

namespace perf2x {

// The tracepoint formats of a recording, from its records. Not thread-safe.
class RecordedFormats {
 public:
  // Reads the formats in tracing data, which come in a HEADER_TRACING_DATA
  // record, in simpleperf's TRACING_DATA record or in a HEADER_FEATURE record.
  // Ignores other records, and all tracing data after the first valid ones or
  // after four damaged ones. Damage is counted. Returns true if formats were
  // read.
  bool Observe(const RawRecord& record, Diagnostics& diagnostics);
  // Returns the format of the payload of a tracepoint. Null if it was not
  // recorded or the event is no tracepoint. Valid as long as this object.
  const TracepointFormat* Find(const EventAttr& attr) const;
  // Returns the approximate memory of all formats, in bytes.
  uint64_t memory() const { return formats_ ? formats_->memory() : 0; }

 private:
  std::optional<TracepointFormats> formats_;
  int tried_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORDED_FORMATS_H_
