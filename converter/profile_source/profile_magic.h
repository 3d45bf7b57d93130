// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_MAGIC_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_MAGIC_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace perf2x {

// Bytes that suffice for IsProfile.
inline constexpr size_t kProfileMagicSize = 64;

// Returns true if the first bytes of a file, decompressed, are those of a pprof
// profile, which may be damaged. The format has no magic number: this is true
// if they begin with fields of a message, some of them those of a Profile as
// the format defines them, and not as perf.data does. Fields that the format
// does not define are skipped.
bool IsProfile(absl::Span<const uint8_t> first_bytes);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_MAGIC_H_
