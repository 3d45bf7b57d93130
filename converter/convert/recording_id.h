// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_RECORDING_ID_H_
#define PERF2X_CONVERT_RECORDING_ID_H_

#include <string>

#include "absl/status/statusor.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input.h"

namespace perf2x {

// Returns an id of the decompressed bytes of a recording or profile: 32
// hexadecimal digits, the same in every process. It is not cryptographic:
// someone may make two inputs with one id.
//
// If the input is a stream, copies it to a temporary file, and replaces
// `*input` by that file. The copy ends at damage, which is added to
// `*diagnostics`. `diagnostics` must not be null. Fails if the stream cannot be
// read or copied, or is neither a recording nor a profile. Leaves other inputs
// as they are, and does not fail for them.
absl::StatusOr<std::string> IdentifyRecording(Input* input,
                                              Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_RECORDING_ID_H_
