// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_RECORD_OPTIONS_H_
#define PERF2X_CONVERT_RECORD_OPTIONS_H_

#include <string>

#include "absl/types/span.h"

namespace perf2x {

// Returns perf record's own options in the command line of a recording: the
// words after "record" and before the recorded program with its arguments. For
// "/usr/bin/perf record -e cycles app -x", that is "-e cycles". Empty if the
// command line lacks the word "record". The span points into `command_line`.
absl::Span<const std::string> RecordOptions(
    absl::Span<const std::string> command_line);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_RECORD_OPTIONS_H_
