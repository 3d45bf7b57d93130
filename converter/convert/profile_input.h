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

// Reads a profile: an input whose KindOf is kProfile. Sets `*bytes` to the
// number of its bytes, decompressed, also on failure. Fails as ReadProfile
// does, and with DataLoss if the file became shorter during reading. Errors
// name the input.
absl::StatusOr<Profile> ReadProfileInput(Input input, Budget& budget,
                                         ByteAccount* bytes);

// Corrects kernel addresses in `*profile` for which the kernel's symbols are
// needed, see CorrectInterruptedFrames. Does nothing if the profile has no such
// address, or if the kernel's symbols are not found with the options `symbols`.
// Fails with DataLoss if a sample is damaged.
absl::Status CorrectKernelAddresses(const SymbolizeOptions& symbols,
                                    Profile* profile);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_PROFILE_INPUT_H_
