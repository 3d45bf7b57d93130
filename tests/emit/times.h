// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_EMIT_TIMES_H_
#define PERF2X_TESTS_EMIT_TIMES_H_

#include <cstdint>

namespace perf2x {

inline constexpr uint64_t kMs = 1'000'000;  // in nanoseconds

}  // namespace perf2x

#endif  // PERF2X_TESTS_EMIT_TIMES_H_
