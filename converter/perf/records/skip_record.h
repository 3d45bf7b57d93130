// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SKIP_RECORD_H_
#define PERF2X_PERF_RECORDS_SKIP_RECORD_H_

#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// The usual reason: the record cannot be decoded.
inline constexpr char kShorterThanItsFields[] = "shorter than its fields";

// Counts a record that is skipped, under the message "MMAP2 record `why`".
void SkipRecord(const RawRecord& record, absl::string_view why,
                Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SKIP_RECORD_H_
