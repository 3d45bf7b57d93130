// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORDING_TIME_H_
#define PERF2X_SESSION_RECORDING_TIME_H_

#include <cstdint>

#include "converter/perf/records/user_records.h"

namespace perf2x {

// Converts a value of the machine's time counter (x86: TSC) to ns on the
// recording's clock, as tsc_to_perf_time() in tools/perf/util/tsc.c. Shift
// counts are taken modulo 64. The result wraps around on overflow.
uint64_t ToRecordingTime(const TimeConvRecord& conversion, uint64_t counter);

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORDING_TIME_H_
