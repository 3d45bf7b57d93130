// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INPUT_INPUT_IDENTITY_H_
#define PERF2X_INPUT_INPUT_IDENTITY_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/base/file_descriptor.h"

namespace perf2x {

// The identity of an input file, taken before the file is opened. OpenSame()
// later opens that very file or fails.
struct InputIdentity {
  // Calls fstat() on standard input if `path` is "-". For other paths, calls
  // stat() if `follow_link`, else lstat(). Opens nothing. Stores a failure in
  // `error`.
  static InputIdentity FromPath(const std::string& path,
                                bool follow_link = true);

  // Opens the same file, as an O_PATH descriptor. Not for standard input. Fails
  // with Unavailable if `error` is set, if the file cannot be opened, or if
  // another file has the path now. The error names the path and the reason.
  absl::StatusOr<FileDescriptor> OpenSame() const;
  // For untrusted inputs; requires that follow_link is false. Fails with
  // InvalidArgument for standard input and for all but regular files. Opening
  // such inputs could block, have side effects, or lead to another file.
  // Succeeds if `error` is set; OpenSame then fails.
  absl::Status CheckRegular() const;
  bool is_stdin() const { return path == "-"; }
  // Returns true if the input exists and has the file type `type`: S_IFREG,
  // S_IFDIR, …
  bool HasType(mode_t type) const {
    return error == 0 && (st.st_mode & S_IFMT) == type;
  }

  std::string path;         // as the user gave it
  bool follow_link = true;  // as passed to FromPath
  int error = 0;            // errno of stat(); 0 if it succeeded
  struct stat st = {};
};

}  // namespace perf2x

#endif  // PERF2X_INPUT_INPUT_IDENTITY_H_
