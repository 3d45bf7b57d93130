// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_OUTPUT_H_
#define PERF2X_BASE_OUTPUT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace perf2x {

class Budget;

// Where an emitter's bytes go. Errors stick: after the first failed Write,
// later ones return the same error.
class Output {
 public:
  virtual ~Output() = default;
  virtual absl::Status Write(absl::string_view bytes) = 0;
  // Flushes and, for a file, puts it under its final name. An output that is
  // destroyed without Close leaves nothing behind.
  virtual absl::Status Close() = 0;
};

// Opens `path` for writing. A regular (or new) file is written beside its final
// name and renamed by Close; a device, FIFO or socket is written in place, and
// so is standard output, "-" or by name. With `in_place`, an existing regular
// file is too.
absl::StatusOr<std::unique_ptr<Output>> OpenOutput(const std::string& path,
                                                   bool in_place = false);

// Appends to `*to`, which must outlive the output.
std::unique_ptr<Output> StringOutput(std::string* to);

// Writes to `output` and accounts for it in `budget`, which must outlive both.
std::unique_ptr<Output> AccountedOutput(std::unique_ptr<Output> output,
                                        Budget& budget);

}  // namespace perf2x

#endif  // PERF2X_BASE_OUTPUT_H_
