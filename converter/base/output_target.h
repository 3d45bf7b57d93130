// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_OUTPUT_TARGET_H_
#define PERF2X_BASE_OUTPUT_TARGET_H_

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/base/file_descriptor.h"
#include "converter/base/output.h"

namespace perf2x {

// Where and how an output that the user named is written. Resolve decides this
// once: a file that appears under the name later is not written to.
struct OutputTarget {
  // How the bytes reach the target.
  enum class Method {
    kStandardOutput,  // "-", or another name such as /dev/stdout
    kInPlace,         // a device or FIFO; with `in_place` a regular file
    kReplace,         // a new file is renamed to the final name
  };

  // Decides how `path` is written; creates nothing. `in_place`: see OpenOutput.
  // Follows symbolic links in all parts of the path, even to a file that does
  // not exist yet. In a sticky folder that everyone may write to, follows only
  // links of the current user and of the folder's owner, and fails on others
  // (as with fs.protected_symlinks, see proc(5)). Fails if `path` is a folder
  // or a file that may not be written. The error names the path and the reason.
  static absl::StatusOr<OutputTarget> Resolve(const std::string& path,
                                              bool in_place = false);
  // Returns a kReplace target for the file `name` ("a/b/FILE") in the folder
  // `root`. Makes the folders in `name` if they do not exist. Follows links in
  // `root` as Resolve does, but none below it, as other users may write to
  // `root`. Fails if a folder below `root` is a link. Fails if the file exists
  // but is not a writable regular file.
  static absl::StatusOr<OutputTarget> MakeBelow(const std::string& root,
                                                absl::string_view name);

  // Fails if the target is a device or a FIFO. To be called for files in a
  // folder that the user named. A FIFO there may have no reader, and opening it
  // would wait for ever.
  absl::Status CheckNotDeviceOrFifo() const;

  std::string path;        // as the user named it
  std::string final_path;  // kReplace: with links followed; else `path`
  Method method = Method::kStandardOutput;
  bool regular = false;  // kInPlace: true for a regular file
  // kInPlace: identity of the file. kReplace: identity of its folder; 0 if the
  // folder does not exist yet.
  dev_t device = 0;
  ino_t inode = 0;
};

// Opens the folder of `target` as an O_PATH descriptor for calls such as
// openat. Requires a kReplace target. Fails if the path no longer leads to the
// folder that OutputTarget::Resolve found.
absl::StatusOr<FileDescriptor> OpenFolderOf(const OutputTarget& target);

// Fails if `folder`, the result of OpenFolderOf, is no longer at the path of
// `target`'s folder. Fails if the file there exists but is not a writable
// regular file. Requires a kReplace target.
absl::Status RecheckTarget(const OutputTarget& target,
                           const FileDescriptor& folder);

// Returns the path of the folder `path` after following all links in it. The
// rules and errors for links are as in OutputTarget::Resolve. The folder need
// not exist yet.
absl::StatusOr<std::string> ResolveOutputFolder(const std::string& path);

// Open `target` for writing, as OpenOutput does for a path. Both fail if the
// path no longer leads to the file or folder that OutputTarget::Resolve found.
absl::StatusOr<std::unique_ptr<Output>> OpenOutput(const OutputTarget& target);
absl::StatusOr<std::unique_ptr<StagedOutput>> OpenStagedOutput(
    const OutputTarget& target);

// Returns the error "cannot write PATH: REASON". The reason and the status code
// follow from `error`, an errno.
absl::Status CannotWrite(const std::string& path, int error);

// FolderOf returns the folder of `path`: the part up to and including the last
// slash, or "./". NameInFolder returns the part after the last slash.
std::string FolderOf(absl::string_view path);
std::string NameInFolder(absl::string_view path);

// Resolves the targets of all outputs before any output is opened. Thread-safe
// after the last Add.
class OutputTargets {
 public:
  // Resolves `path` and keeps the target or the error. Does nothing if `path`
  // was added before.
  void Add(const std::string& path, bool in_place);
  // Returns the target or the error of `path`. If `path` was not added,
  // resolves it now, without `in_place`.
  absl::StatusOr<OutputTarget> TargetOf(const std::string& path) const;
  // Returns the results of all Adds, by path.
  const std::map<std::string, absl::StatusOr<OutputTarget>>& all() const {
    return targets_;
  }

 private:
  std::map<std::string, absl::StatusOr<OutputTarget>> targets_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_OUTPUT_TARGET_H_
