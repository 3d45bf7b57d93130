// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_CODE_H_
#define PERF2X_EMIT_PPROF_PPROF_CODE_H_

#include "absl/status/status.h"
#include "converter/emit/pprof/pprof_writer.h"
#include "converter/emit/used_strings.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Writes all functions of `tables`, a location for each frame, and the mappings
// of the frames. All frames must be symbolized. A mapping of `main_dso`
// (kNoId: none) comes first, even if no frame lies in it: pprof expects the
// program there. Adds strings to `strings`, which the caller writes. Returns
// the writer's errors.
absl::Status WritePprofCode(DsoId main_dso, TraceTables& tables,
                            UsedStrings& strings, PprofWriter& writer);

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_CODE_H_
