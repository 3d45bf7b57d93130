// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INPUT_FOUND_INPUT_H_
#define PERF2X_INPUT_FOUND_INPUT_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/statusor.h"
#include "converter/base/file_descriptor.h"

namespace perf2x {

// Which file an input is: what it is when it is looked at, before anything is
// opened or decided, is what is opened later, or nothing is.
struct FoundInput {
  // Looks at a file of any kind, or at standard input ("-"). Opens nothing.
  static FoundInput At(const std::string& path, bool follow_link = true);

  // The same file again, as a descriptor of O_PATH. The error says which and
  // why: it was not there, or another one has its name now.
  absl::StatusOr<FileDescriptor> Find() const;
  bool is_stdin() const { return path == "-"; }
  bool Is(mode_t type) const {
    return error == 0 && (st.st_mode & S_IFMT) == type;
  }

  std::string path;  // as the user gave it
  bool follow_link = true;
  int error = 0;  // why it could not be looked at, an errno
  struct stat st = {};
};

}  // namespace perf2x

#endif  // PERF2X_INPUT_FOUND_INPUT_H_
