// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_PROFILE_INPUT_H_
#define PERF2X_CONVERT_PROFILE_INPUT_H_

#include "absl/status/statusor.h"
#include "converter/base/budget.h"
#include "converter/input/input.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/profile_source/profile.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// Returns true if the input is a pprof profile and not a recording. Reads the
// first bytes of a stream, which are then still in it.
bool IsProfileInput(Input* input);

// Reads a profile. Stores the number of its bytes, decompressed, in `*bytes`,
// also on failure. Errors are those of ReadProfile, with the input's name.
absl::StatusOr<Profile> ReadProfileInput(Input input, Budget& budget,
                                         ByteAccount* bytes);

// Corrects the addresses in `*profile` that can be told only with the kernel's
// symbols, if it lacks them and they are found; see CorrectInterruptedFrames.
absl::Status CorrectKernelAddresses(const SymbolizeOptions& symbols,
                                    Profile* profile);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_PROFILE_INPUT_H_
