// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_OUTPUT_PLACE_H_
#define PERF2X_BASE_OUTPUT_PLACE_H_

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

// How the file is written that the user named. Decided once: what appears under
// its name later is not written to, and waited for by no one.
struct OutputPlace {
  enum class Way {
    kStandardOutput,  // "-", or another name of it
    kInPlace,         // a device or FIFO; on demand a regular file
    kReplace,         // a new file takes the name
  };

  // Looks at `path`. Follows symbolic links, its folders' and those to a file
  // that is not there yet, but none of another user in a folder where everyone
  // may make them, unless the folder is his (as fs.protected_symlinks does, see
  // proc(5)). The error says which path and why.
  static absl::StatusOr<OutputPlace> At(const std::string& path,
                                        bool in_place = false);

  std::string path;    // as the user named it
  std::string target;  // what links lead to
  Way way = Way::kStandardOutput;
  bool regular = false;  // of what is written in place
  // What is written in place; the folder of a file that is replaced, 0 if it is
  // not there yet.
  dev_t device = 0;
  ino_t inode = 0;
};

// The folder of `place`, for calls such as openat; of a file that is replaced.
// Fails if that is not the folder that it was when the place was looked at.
absl::StatusOr<FileDescriptor> OpenFolderOf(const OutputPlace& place);

// The folder `path` with all links in it followed, by the same rule; where it
// does not exist yet, as it will be called.
absl::StatusOr<std::string> OutputFolder(const std::string& path);

// Opens `place` for writing, as OpenOutput does with a path.
absl::StatusOr<std::unique_ptr<Output>> OpenOutput(const OutputPlace& place);

// The error of an output: "cannot write OUT: WHY".
absl::Status CannotWrite(const std::string& path, int error);

// The folder that `path` lies in: "./", or up to and with the last slash. The
// rest is its name there.
std::string FolderOf(absl::string_view path);
std::string NameInFolder(absl::string_view path);

// Places of outputs that were looked at before any was opened. Thread-safe.
class OutputPlaces {
 public:
  void Add(const std::string& path, bool in_place);
  // The place of `path`; one that was not added is looked at now.
  absl::StatusOr<OutputPlace> Of(const std::string& path) const;
  const std::map<std::string, absl::StatusOr<OutputPlace>>& all() const {
    return places_;
  }

 private:
  std::map<std::string, absl::StatusOr<OutputPlace>> places_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_OUTPUT_PLACE_H_
