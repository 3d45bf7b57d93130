// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_RECORDING_ID_H_
#define PERF2X_CONVERT_RECORDING_ID_H_

#include <string>

#include "absl/status/statusor.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input.h"

namespace perf2x {

// Returns an id of a recording's bytes, after their decompression: 32
// hexadecimal digits, the same in every process. It is not cryptographic:
// someone may make two recordings with one id.
//
// A stream is copied to a temporary file, by which `*input` is replaced. If the
// stream is damaged, the copy ends there and the damage is added to
// `*diagnostics`, which must not be null. Fails if the stream cannot be read,
// is no recording, or cannot be copied. Never fails for other inputs, which
// stay as they are.
absl::StatusOr<std::string> IdentifyRecording(Input* input,
                                              Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_RECORDING_ID_H_
