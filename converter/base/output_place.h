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

// Where and how an output that the user named is written. This is decided once:
// a file that appears under that name later is not written to.
struct OutputPlace {
  enum class Way {
    kStandardOutput,  // "-", or another name such as /dev/stdout
    kInPlace,         // a device or FIFO; with `in_place` a regular file
    kReplace,         // a new file is renamed to the final name
  };

  // Decides how `path` is written; creates nothing. Follows symbolic links,
  // also those in its folders and those to a file that does not exist yet. In a
  // sticky folder that everyone may write to, fails on a link of another user
  // unless that user owns the folder (as fs.protected_symlinks does, see
  // proc(5)). Fails for folders, and for files that may not be written. The
  // error names the path and the reason.
  static absl::StatusOr<OutputPlace> Resolve(const std::string& path,
                                             bool in_place = false);

  std::string path;    // as the user named it
  std::string target;  // kReplace: with links followed; else `path`
  Way way = Way::kStandardOutput;
  bool regular = false;  // kInPlace: true for a regular file
  // kInPlace: of the file. kReplace: of its folder; 0 if that does not exist
  // yet.
  dev_t device = 0;
  ino_t inode = 0;
};

// Opens the folder of a file that is replaced (kReplace), as an O_PATH
// descriptor for calls such as openat. Fails if another folder has taken its
// place since OutputPlace::Resolve.
absl::StatusOr<FileDescriptor> OpenFolderOf(const OutputPlace& place);

// Returns the folder `path` with all links in it followed, by the rule of
// OutputPlace::Resolve. If the folder does not exist yet, returns the path that
// it will have.
absl::StatusOr<std::string> OutputFolder(const std::string& path);

// Opens `place` for writing, as OpenOutput does for a path. Fails if another
// file or folder has taken its place since OutputPlace::Resolve.
absl::StatusOr<std::unique_ptr<Output>> OpenOutput(const OutputPlace& place);
absl::StatusOr<std::unique_ptr<StagedOutput>> OpenStagedOutput(
    const OutputPlace& place);

// Returns the error of an output: "cannot write PATH: REASON". `error` is an
// errno, which gives the reason and the status code.
absl::Status CannotWrite(const std::string& path, int error);

// FolderOf returns the folder of `path`: the part up to and including the last
// slash, or "./". NameInFolder returns the part after the last slash.
std::string FolderOf(absl::string_view path);
std::string NameInFolder(absl::string_view path);

// Resolves the places of all outputs before any output is opened. Thread-safe
// after the last Add.
class OutputPlaces {
 public:
  // Resolves `path`; keeps the place or the error. Does nothing if `path` was
  // added before.
  void Add(const std::string& path, bool in_place);
  // Returns the place or the error of `path`. Resolves it now, not in place, if
  // it was not added.
  absl::StatusOr<OutputPlace> PlaceOf(const std::string& path) const;
  // Returns the results of all Adds, by path.
  const std::map<std::string, absl::StatusOr<OutputPlace>>& all() const {
    return places_;
  }

 private:
  std::map<std::string, absl::StatusOr<OutputPlace>> places_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_OUTPUT_PLACE_H_
