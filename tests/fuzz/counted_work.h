// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_COUNTED_WORK_H_
#define PERF2X_TESTS_FUZZ_COUNTED_WORK_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace perf2x {

// What a piece of work took, by counts that are the same each time.
struct WorkCount {
  uint64_t allocations = 0, allocated = 0;  // by operator new; bytes
};

// Counts what `run` and all other threads do meanwhile. With a sanitizer, which
// brings its own operator new, allocations are not counted.
WorkCount CountWork(absl::FunctionRef<void()> run);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_COUNTED_WORK_H_
