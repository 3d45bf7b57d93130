// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_BUILD_IDS_H_
#define PERF2X_PERF_HEADER_BUILD_IDS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// One entry of the BUILD_ID feature, or a HEADER_BUILD_ID record. `filename`
// points into the record.
struct BuildIdEntry {
  int32_t pid = 0;    // of the machine, as perf numbers them; -1: the host
  uint16_t misc = 0;  // perf_event_header.misc: the cpumode of the file's code
  BuildId build_id;   // without the zeros that pad it to 20 bytes
  absl::string_view filename;  // path, as recorded
};

// Calls `found` for each build id in a HEADER_BUILD_ID record or in a
// HEADER_FEATURE record of feature BUILD_ID, in order. If the record is
// damaged, returns false after the build ids before the damage. Does nothing
// and returns true for other records.
bool ForEachBuildId(const RawRecord& record,
                    absl::FunctionRef<void(const BuildIdEntry&)> found);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_BUILD_IDS_H_
