// SPDX-License-Identifier: Apache-2.0
#include "converter/input/input_identity.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace perf2x {

InputIdentity InputIdentity::FromPath(const std::string& path,
                                      bool follow_link) {
  InputIdentity found;
  found.path = path;
  found.follow_link = follow_link;
  const int failed = found.is_stdin() ? fstat(STDIN_FILENO, &found.st)
                     : follow_link    ? stat(path.c_str(), &found.st)
                                      : lstat(path.c_str(), &found.st);
  if (failed != 0) found.error = errno;
  return found;
}

absl::StatusOr<FileDescriptor> InputIdentity::OpenSame() const {
  const auto cannot_read = [&](absl::string_view why) {
    return absl::UnavailableError(
        absl::StrCat("cannot read ", path, ": ", why));
  };
  if (error != 0) return cannot_read(std::strerror(error));
  FileDescriptor fd(
      open(path.c_str(), O_PATH | O_CLOEXEC | (follow_link ? 0 : O_NOFOLLOW)));
  struct stat is;
  if (fd.get() < 0 || fstat(fd.get(), &is) != 0) {
    return cannot_read(std::strerror(errno));
  }
  if (is.st_dev != st.st_dev || is.st_ino != st.st_ino ||
      (is.st_mode & S_IFMT) != (st.st_mode & S_IFMT)) {
    return cannot_read("another file has taken its place");
  }
  return fd;
}

absl::Status InputIdentity::CheckRegular() const {
  if (is_stdin()) {
    return absl::InvalidArgumentError(
        "--untrusted reads regular files only, not standard input");
  }
  if (error != 0 || HasType(S_IFREG)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--untrusted reads regular files only, and ", path, " is ",
                   HasType(S_IFLNK)   ? "a symbolic link"
                   : HasType(S_IFDIR) ? "a folder"
                                      : "a pipe or device"));
}

}  // namespace perf2x
