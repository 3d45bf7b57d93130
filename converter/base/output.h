// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_OUTPUT_H_
#define PERF2X_BASE_OUTPUT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/base/byte_buffer.h"

namespace perf2x {

class Budget;
class HelperPool;

// A destination for an emitter's bytes. Errors stick: after a failed Write, all
// later calls return the same error. Not thread-safe.
class Output {
 public:
  virtual ~Output() = default;
  // Writes all of `bytes`, or fails. May buffer them: a later call may return
  // the error.
  virtual absl::Status Write(absl::string_view bytes) = 0;
  // Writes the bytes of `buffer`, as Write does. Instead of copying them, may
  // take the buffer's memory for other memory: its bytes are then unspecified.
  virtual absl::Status WriteBuffer(ByteBuffer& buffer) {
    return Write(buffer.view());
  }
  // Lets threads of `helpers` do a part of the work of later calls. `helpers`
  // must outlive the output. To be called before the first Write.
  virtual void UseHelpers(HelperPool& /*helpers*/) {}
  // Flushes and, for a file, renames it to its final name. To be called once,
  // after the last Write.
  //
  // If an output is destroyed without a successful Close, the file that it
  // would have replaced stays as it was. A regular file written in place is
  // then emptied if possible.
  virtual absl::Status Close() = 0;
};

// An output whose Close does not rename the file (OpenStagedOutput in
// output_target.h). Publish renames it. So several files can be completed
// before any is replaced. Without Publish, the destructor removes the new file.
class StagedOutput : public Output {
 public:
  // Does all work except the rename, so that Publish seldom fails. Fails if the
  // folder's path now leads to another folder. Fails if the file's final name
  // belongs to something other than a writable regular file. To be called once,
  // after Close. Does nothing for an output that is written in place.
  virtual absl::Status Prepare() = 0;
  // Renames the file to its final name. To be called once, after Prepare. Does
  // nothing for an output that is written in place.
  virtual absl::Status Publish() = 0;
};

// Opens `path` for writing. Standard output ("-", or a name such as
// /dev/stdout), devices and FIFOs are written in place. With `in_place`,
// existing regular files are also written in place. Everything else goes to a
// temporary file in the same folder, which Close renames. Waits until a FIFO
// has a reader. The error names the path and the reason.
absl::StatusOr<std::unique_ptr<Output>> OpenOutput(const std::string& path,
                                                   bool in_place = false);

// Returns an output that appends to `*to`, which must outlive the output. Its
// calls never fail.
std::unique_ptr<Output> MakeStringOutput(std::string* to);

// Returns an output that forwards to `output` and charges each byte to `budget`
// (kOutput). Forwards even if the budget is exhausted. `budget` must outlive
// the output.
std::unique_ptr<Output> MakeMeteredOutput(std::unique_ptr<Output> output,
                                          Budget& budget);

}  // namespace perf2x

#endif  // PERF2X_BASE_OUTPUT_H_
