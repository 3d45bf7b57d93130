// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_SAMPLE_TIMES_H_
#define PERF2X_CONVERT_SAMPLE_TIMES_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "converter/input/input.h"

namespace perf2x {

// When a recording's first and last sample were taken, in ns of its clock: as
// its header says or, where that is silent, by reading all of it once. Leaves
// the input as it is; one that can be read only once is an error.
absl::StatusOr<std::pair<uint64_t, uint64_t>> SampleTimesOf(const Input& input);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_SAMPLE_TIMES_H_
