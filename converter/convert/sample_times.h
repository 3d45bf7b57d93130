// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_SAMPLE_TIMES_H_
#define PERF2X_CONVERT_SAMPLE_TIMES_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "converter/input/input.h"

namespace perf2x {

// Returns the times of a recording's first and last sample, in ns on its clock.
// Reads the header (SAMPLE_TIME). If the header lacks them, reads all records
// once. If all samples are made of a hardware trace, the times are those of the
// first and the last record that has one. `input` can be read again afterwards.
// Fails if `input` is no recording. Fails with InvalidArgument if no sample has
// a time, or if `input` can be read only once: a pipe or a compressed file.
absl::StatusOr<std::pair<uint64_t, uint64_t>> SampleTimesOf(const Input& input);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_SAMPLE_TIMES_H_
