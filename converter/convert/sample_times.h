// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_SAMPLE_TIMES_H_
#define PERF2X_CONVERT_SAMPLE_TIMES_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "converter/input/input.h"

namespace perf2x {

// Returns the times of a recording's first and last sample, in ns of its clock:
// from the header (SAMPLE_TIME) or, if that lacks them, by reading all records
// once. Does not consume `input`. Fails if no sample has a time, and if `input`
// is not mapped (a pipe, a compressed file): it could be read only once.
absl::StatusOr<std::pair<uint64_t, uint64_t>> SampleTimesOf(const Input& input);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_SAMPLE_TIMES_H_
