// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recording_time.h"

namespace perf2x {

uint64_t ToRecordingTime(const TimeConvRecord& conversion, uint64_t counter) {
  if (conversion.has_cycles && conversion.cap_user_time_short != 0) {
    // The counter has fewer than 64 bits.
    counter = conversion.time_cycles +
              ((counter - conversion.time_cycles) & conversion.time_mask);
  }
  const uint64_t shift = conversion.time_shift & 63;
  const uint64_t high = counter >> shift;
  const uint64_t low = counter & ((uint64_t{1} << shift) - 1);
  return conversion.time_zero + high * conversion.time_mult +
         ((low * conversion.time_mult) >> shift);
}

}  // namespace perf2x
