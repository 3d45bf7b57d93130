// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_HELD_FOLDERS_H_
#define PERF2X_SYMBOLIZE_FIND_HELD_FOLDERS_H_

#include <string>
#include <vector>

#include "converter/base/file_descriptor.h"

namespace perf2x {

// Folders that stay open. Once sandboxed, a process may not follow
// /proc/PID/root of other processes, but may use what it had opened before.
// Thread-safe, except Hold.
class HeldFolders {
 public:
  // If `*path` is below /proc, opens the folder and sets `*path` to a path that
  // leads to it: in this process only, and as long as this object. Leaves it as
  // it is if the folder cannot be opened.
  void Hold(std::string* path);
  // Replaces, in a message, paths that Hold has set with those that it was
  // given.
  std::string WithGivenPaths(std::string message) const;

 private:
  struct Folder {
    FileDescriptor fd;
    std::string path, given_path;  // both with a slash at the end
  };
  std::vector<Folder> folders_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_HELD_FOLDERS_H_
