// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_RECORDING_ID_H_
#define PERF2X_CONVERT_RECORDING_ID_H_

#include <string>

#include "absl/status/statusor.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input.h"

namespace perf2x {

// Returns an id of the bytes of a recording or profile, after their
// decompression: 32 hexadecimal digits, the same in every process. It is not
// cryptographic: someone may make two inputs with one id.
//
// Copies a stream to a temporary file, and replaces `*input` by that file. At
// damage in the stream, the copy ends, and the damage is added to
// `*diagnostics`, which must not be null. Fails if the stream cannot be read or
// copied, or is neither a recording nor a profile. Never fails for other
// inputs, which stay as they are.
absl::StatusOr<std::string> IdentifyRecording(Input* input,
                                              Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_RECORDING_ID_H_
