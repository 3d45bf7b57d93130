// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SKIP_RECORD_H_
#define PERF2X_PERF_RECORDS_SKIP_RECORD_H_

#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// The usual `why`: the record cannot be decoded.
inline constexpr char kShorterThanItsFields[] = "shorter than its fields";

// Counts a record that the caller skips, as kSkipped. The message is the name
// of its type, "record" and `why`: "MMAP2 record shorter than its fields".
void CountSkippedRecord(const RawRecord& record, absl::string_view why,
                        Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SKIP_RECORD_H_
