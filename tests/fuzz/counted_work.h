// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_COUNTED_WORK_H_
#define PERF2X_TESTS_FUZZ_COUNTED_WORK_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace perf2x {

// The cost of a piece of work in counts that are the same in every run.
struct WorkCount {
  uint64_t allocations = 0, allocated = 0;  // of operator new: calls; bytes
};

// Counts the allocations of `run`, and of all other threads during it. Builds
// with a sanitizer, which brings its own operator new, count none.
WorkCount CountWork(absl::FunctionRef<void()> run);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_COUNTED_WORK_H_
