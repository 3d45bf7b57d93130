// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_READER_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/byte_source.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// The largest number of value types of a profile: two for each of 1,024 events.
inline constexpr size_t kMaxValueTypes = 2048;

// Reads a profile to the end of `source`. Samples are kept as they are; all
// else is decoded. Sets `*size` to the number of bytes that were read, also on
// failure. Checks all references, except in samples, where
// ProfileSample::Decode checks them. Text is escaped by AsPlainText.
//
// While it reads, charges `budget` for the profile's memory. Fails with
// DataLoss for damage, and with the errors of `source`. Fails with
// ResourceExhausted once the budget is exhausted, or for more than
// kMaxValueTypes. The returned profile is no longer charged.
absl::StatusOr<Profile> ReadProfile(ByteSource& source, Budget& budget,
                                    uint64_t* size);

// Returns the error for more than kMaxValueTypes. `what_has` begins the
// message: "the profile has".
absl::Status TooManyValueTypes(absl::string_view what_has);

// Returns a source of uncompressed `bytes`, which must outlive it.
std::unique_ptr<ByteSource> SourceOfBytes(absl::Span<const uint8_t> bytes);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_READER_H_
