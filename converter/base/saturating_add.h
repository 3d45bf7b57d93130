// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_SATURATING_ADD_H_
#define PERF2X_BASE_SATURATING_ADD_H_

#include <algorithm>
#include <cstdint>

namespace perf2x {

// Returns a + b, or the largest uint64_t if the sum exceeds it.
constexpr uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  return a + std::min(b, ~a);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_SATURATING_ADD_H_
