// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORD_CONTEXT_H_
#define PERF2X_SESSION_RECORD_CONTEXT_H_

#include <cstdint>
#include <optional>

#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample.h"

namespace perf2x {

// Passed to a tracker with a decoded record: the raw record, its time and its
// trailer. Valid during the call.
struct RecordContext {
  const RawRecord& raw;
  std::optional<uint64_t> time;
  SampleId id;  // the trailer of a record that is not a sample
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORD_CONTEXT_H_
