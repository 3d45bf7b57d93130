// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INPUT_READ_STOP_H_
#define PERF2X_INPUT_READ_STOP_H_

#include "converter/base/file_descriptor.h"

namespace perf2x {

// Lets another thread end a read that waits for bytes of a pipe. If the system
// grants no eventfd, Request() does nothing. Thread-safe.
class ReadStop {
 public:
  ReadStop();
  // Ends all current and later WaitFor() calls at once. Cannot be undone.
  void Request();
  // Waits until `fd` can be read, is at its end, or Request() is called.
  // Returns false if Request() was called, even if `fd` can be read, too. The
  // reader must then behave as at the end of the input.
  bool WaitFor(int fd) const;

 private:
  const FileDescriptor event_;
};

}  // namespace perf2x

#endif  // PERF2X_INPUT_READ_STOP_H_
