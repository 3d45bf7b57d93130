// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_BOUNDS_H_
#define PERF2X_TESTS_SUPPORT_BOUNDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {

// The bounds that SECURITY.md states for an input of kBoundedInput bytes.
inline constexpr uint64_t kBoundedInput = 1'000'000;
inline constexpr uint64_t kMaxMemory = 256'000'000;
inline constexpr uint64_t kMaxWritten = 320'000'000;
// CPU time. PERF2X_SLOWNESS times as much if that is set, as by
// scripts/check-foreign: programs take longer by emulation.
double MaxSeconds();

// Returns the names of all formats, "info" and "dump".
std::vector<std::string> EveryWay();
Outcome TakeHostile(Input input, const std::string& way, int threads = 1);

// Expects an outcome within the bounds; with a sanitizer, only the output size
// is checked.
void ExpectWithinBounds(const Outcome& outcome, const std::string& what);

// Writes a recording for scripts/check-bounds to the folder
// PERF2X_KEEP_BOMBS, if that is set.
void KeepBomb(const std::string& name, const ByteVector& recording);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_BOUNDS_H_
