// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_FAIL_ALLOCATION_H_
#define PERF2X_BASE_FAIL_ALLOCATION_H_

#include <new>

namespace perf2x {

// For libraries that report that there is no memory left: does what operator
// new does then.
[[noreturn]] inline void FailAllocation() {
  while (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

}  // namespace perf2x

#endif  // PERF2X_BASE_FAIL_ALLOCATION_H_
