// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OPEN_RESULT_H_
#define PERF2X_CLI_OPEN_RESULT_H_

#include <sys/types.h>

#include <string>

#include "converter/base/file_descriptor.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A child process, outside of the sandbox, that opens an output in a viewer:
// the first installed one of EmitterInfo::viewers. It waits for Show. Without
// Show, it ends with this object or with the parent process.
class ResultViewer {
 public:
  // Starts the process, which will show the file `output`. To be called before
  // EnterSandbox() and before the first thread starts. A failure to start is
  // reported by Show.
  ResultViewer(const EmitterInfo& format, const std::string& output);
  ResultViewer(const ResultViewer&) = delete;
  ResultViewer& operator=(const ResultViewer&) = delete;

  // Shows the output, which must be complete, and waits until the viewer ends.
  // Returns the viewer's exit status, or 1 if a signal ended it. If no viewer
  // is installed, says on standard error what to do with the file, and returns
  // 0. If the process could not be started, prints an error and returns 1.
  // Calls UnblockSignals. To be called at most once.
  int Show();

 private:
  pid_t process_ = -1;
  FileDescriptor request_{-1};  // a byte: show the output; end of file: do not
};

}  // namespace perf2x

#endif  // PERF2X_CLI_OPEN_RESULT_H_
