// SPDX-License-Identifier: Apache-2.0
#include "converter/base/reopen.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "absl/strings/str_cat.h"

namespace perf2x {

FileDescriptor Reopen(int found, int folder, const std::string& name,
                      int flags) {
  constexpr int kForReading = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  FileDescriptor fd(
      open(absl::StrCat("/proc/self/fd/", found).c_str(), kForReading));
  if (fd.get() >= 0 || errno != ENOENT) return fd;
  // There is no /proc.
  FileDescriptor again(openat(folder, name.c_str(), kForReading | flags));
  struct stat was, is;
  if (again.get() < 0 || fstat(found, &was) != 0 ||
      fstat(again.get(), &is) != 0 || was.st_dev != is.st_dev ||
      was.st_ino != is.st_ino) {
    errno = ENOENT;
    return FileDescriptor(-1);
  }
  return again;
}

}  // namespace perf2x
