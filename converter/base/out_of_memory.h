// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_OUT_OF_MEMORY_H_
#define PERF2X_BASE_OUT_OF_MEMORY_H_

#include <new>

namespace perf2x {

// Fails as operator new does when no memory is left: calls the new handler,
// which should not return. Without a new handler, throws std::bad_alloc. To be
// called when a library reports that it had no memory.
[[noreturn]] inline void HandleOutOfMemory() {
  while (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

}  // namespace perf2x

#endif  // PERF2X_BASE_OUT_OF_MEMORY_H_
