// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/held_folders.h"

#include <fcntl.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace perf2x {

void HeldFolders::Hold(std::string* path) {
  if (!absl::StartsWith(*path, "/proc/")) return;
  FileDescriptor fd(open(path->c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) return;
  const std::string given =
      std::exchange(*path, absl::StrCat("/proc/self/fd/", fd.get()));
  folders_.push_back(
      {std::move(fd), absl::StrCat(*path, "/"),
       absl::StrCat(given, absl::EndsWith(given, "/") ? "" : "/")});
}

std::string HeldFolders::WithGivenPaths(std::string message) const {
  for (const Folder& folder : folders_) {
    absl::StrReplaceAll({{folder.path, folder.given_path}}, &message);
  }
  return message;
}

}  // namespace perf2x
