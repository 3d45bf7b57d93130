// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_QUANTITIES_H_
#define PERF2X_CONVERT_QUANTITIES_H_

#include <cstdint>
#include <string>

namespace perf2x {

// Returns a duration with its unit (ns, µs, ms or s), rounded to three digits:
// "991 ms", "12.4 s". Durations from 1000 s on are in whole seconds.
std::string DurationText(uint64_t nanoseconds);

// Returns `part` of `whole` in percent: "12 %", "1.3 %", "under 0.1 %". Returns
// "0 %" only for 0, and "100 %" only if `part` is not less than `whole`.
// `whole` must not be 0.
std::string ShareText(uint64_t part, uint64_t whole);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_QUANTITIES_H_
