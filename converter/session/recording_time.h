// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORDING_TIME_H_
#define PERF2X_SESSION_RECORDING_TIME_H_

#include <cstdint>

#include "converter/perf/records/user_records.h"

namespace perf2x {

// Returns the time on the recording's clock, in ns, at which the machine's
// counter had the value `counter`: tsc_to_perf_time() in tools/perf/util/tsc.c.
// Shifts count modulo 64. Wraps around if it overflows.
uint64_t ToRecordingTime(const TimeConvRecord& conversion, uint64_t counter);

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORDING_TIME_H_
