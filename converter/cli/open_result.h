// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OPEN_RESULT_H_
#define PERF2X_CLI_OPEN_RESULT_H_

#include <sys/types.h>

#include <string>

#include "converter/base/file_descriptor.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A process that waits outside of the sandbox to show an output with the first
// of its format's viewers that is installed. Before Show is called, the process
// ends when this object is destroyed or the process that owns it ends.
class ResultViewer {
 public:
  // Starts the process. Call it before EnterSandbox() and before the first
  // thread starts.
  ResultViewer(const EmitterInfo& format, const std::string& output);
  ResultViewer(const ResultViewer&) = delete;
  ResultViewer& operator=(const ResultViewer&) = delete;

  // Shows the output, which must be complete, and waits until the viewer ends.
  // Returns the viewer's exit status. If no viewer is installed, says on
  // standard error what to do with the file.
  int Show();

 private:
  pid_t process_ = -1;
  FileDescriptor request_{-1};  // a byte: show the output; end of file: do not
};

}  // namespace perf2x

#endif  // PERF2X_CLI_OPEN_RESULT_H_
