// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_MAGIC_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_MAGIC_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace perf2x {

// Bytes that suffice for IsProfile.
inline constexpr size_t kProfileMagicSize = 64;

// Returns true if the first bytes of a file, decompressed, may be a pprof
// profile. The format has no magic number, so this is a guess. The bytes must
// be protobuf fields, including at least one of message Profile. They must not
// begin like perf.data. Skips fields that Profile lacks. Accepts damage after
// two messages of a Profile.
bool IsProfile(absl::Span<const uint8_t> first_bytes);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_MAGIC_H_
