// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_RECORDING_ID_H_
#define PERF2X_CONVERT_RECORDING_ID_H_

#include <string>

#include "absl/status/statusor.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input.h"

namespace perf2x {

// Returns an id of the bytes of a recording or profile, decompressed: 32
// hexadecimal digits, the same in every process. It tells recordings apart, but
// does not withstand someone who makes two with one id. Reads a stream to its
// end, into a temporary file that the input then is; damage on the way is added
// to `diagnostics`, and ends it.
absl::StatusOr<std::string> IdentifyRecording(Input* input,
                                              Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_RECORDING_ID_H_
