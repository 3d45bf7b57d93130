// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INPUT_READ_STOP_H_
#define PERF2X_INPUT_READ_STOP_H_

#include "converter/base/file_descriptor.h"

namespace perf2x {

// Ends, from another thread, a read that waits for bytes of a pipe. Does
// nothing if the system grants no eventfd. Thread-safe.
class ReadStop {
 public:
  ReadStop();
  // Ends all current and later waits at once, as if the input had ended.
  void Request();
  // Waits until `fd` can be read or is at its end, or Request() is called.
  // Returns false if Request() was called, even if `fd` can be read, too.
  bool WaitFor(int fd) const;

 private:
  const FileDescriptor event_;
};

}  // namespace perf2x

#endif  // PERF2X_INPUT_READ_STOP_H_
