// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_FILE_ROOTS_H_
#define PERF2X_SYMBOLIZE_FIND_FILE_ROOTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/safe_file.h"
#include "converter/symbolize/find/symbol_files.h"

namespace perf2x {

// Says where to search for binaries and their debug information.
struct BinaryFinderOptions {
  // Prefix for every recorded path, like perf's --symfs. Empty: paths as
  // recorded.
  std::string symfs;
  // Root folders of single processes and their descendants, by pid.
  std::map<int32_t, std::string> symfs_of;
  // Returns the root folder for paths of DSOs with this Dso::pid: the one in
  // symfs_of, else symfs. Empty: none.
  const std::string& RootOf(int32_t pid) const {
    const auto it = symfs_of.find(pid);
    return it != symfs_of.end() ? it->second : symfs;
  }
  // Roots of separate debug files, searched in order.
  std::vector<std::string> debug_dirs = {"/usr/lib/debug"};
  // perf's build-id cache; empty: ~/.debug.
  std::string buildid_dir;
  // Tar file that `perf archive` made; empty: none.
  std::string archive;
  // If set, the servers in DEBUGINFOD_URLS are asked for missing files.
  bool debuginfod = false;
  // If set, the recording was made on this machine. If unset, a file is used
  // only if it is proven to be the recorded one or is below symfs.
  bool same_host = false;
  // When the recording was last written to, in ns since 1970; 0: not known.
  // Rejects no file: it only sets FoundFiles::newer.
  int64_t recorded_until = 0;
  // Shared by the finders of one conversion. Null: the finder makes its own.
  std::shared_ptr<SymbolFiles> files;
};

// Translates paths that a recording or a symbol file names to places below the
// root folders of the options. Opens no files. Immutable.
class FileRoots {
 public:
  explicit FileRoots(BinaryFinderOptions options);
  // Not copyable: sources keep references to it.
  FileRoots(const FileRoots&) = delete;
  FileRoots& operator=(const FileRoots&) = delete;

  const BinaryFinderOptions& options() const { return options_; }
  // Returns symfs, if it is set, and the root folders of processes.
  const std::vector<std::string>& roots() const { return roots_; }

  // Returns the place of a recorded path, below symfs if that is set. Empty if
  // the path must not be opened (MayOpenByName).
  FilePlace PlaceOf(absl::string_view recorded) const {
    return PlaceIn(options_.symfs, recorded);
  }
  // Like PlaceOf, but below `root`; if `root` is empty, the path as recorded.
  static FilePlace PlaceIn(const std::string& root, absl::string_view recorded);
  // Returns the place of the file that `elf` refers to by the path `name`. A
  // relative `name` starts at the folder of `elf`. If that folder is below one
  // of roots(), the place is below the same root, also for an absolute `name`.
  // Otherwise, an absolute `name` results in PlaceOf(name). Empty if an
  // absolute path must not be opened (MayOpenByName).
  FilePlace ResolveFrom(const ElfFile& elf, absl::string_view name) const;
  // Returns the places of .build-id/ab/cdef… + `suffix`: for each debug
  // directory, below each of roots() and then without a root. Empty if `id` has
  // less than 2 bytes.
  std::vector<FilePlace> BuildIdPlaces(const BuildId& id,
                                       absl::string_view suffix) const;

 private:
  // Returns the root that `path` is below; null if there is none.
  const std::string* RootAround(absl::string_view path) const;

  const BinaryFinderOptions options_;
  std::vector<std::string> roots_;
};

// Returns a build id as .build-id folders split it: "ab/cdef…". Requires an id
// of at least 2 bytes.
std::string BuildIdPath(const BuildId& id);

// Returns the part of a path before its last slash: "/a/b/c" -> "/a/b", "/a" ->
// "". Returns "." for a path without a slash.
absl::string_view ParentFolderOf(absl::string_view path);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_FILE_ROOTS_H_
