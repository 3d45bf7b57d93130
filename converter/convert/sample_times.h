// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_SAMPLE_TIMES_H_
#define PERF2X_CONVERT_SAMPLE_TIMES_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "converter/input/input.h"

namespace perf2x {

// Returns the times of a recording's first and last sample, in ns on its clock.
// Takes them from the header (SAMPLE_TIME) or, if that lacks them, reads all
// records once. `input` can be read again afterwards. Fails with
// InvalidArgument if no sample has a time. Also fails so if `input` can be read
// only once: a pipe or a compressed file. Also fails if `input` is no
// recording.
absl::StatusOr<std::pair<uint64_t, uint64_t>> SampleTimesOf(const Input& input);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_SAMPLE_TIMES_H_
