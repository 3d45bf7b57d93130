// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_
#define PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_

#include <string>
#include <vector>

#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/symbol_source.h"

namespace perf2x {

// Offers the file at the recorded path. The path starts at the root of its
// process (--symfs PID=DIR), else at --symfs, else at no root. Without a
// recorded build id, the file is used only
// - if it is below such a root;
// - if the recording was made on this machine, and the path does not end with
//   "(deleted)"; or
// - if it is the mapped inode (IsMappedInode).
//
// With a recorded build id, also offers files at other places:
// - If there is any --symfs PID=DIR: the recorded path below all roots, and
//   without a root if --symfs is not set.
// - If the path starts at a root: files of the same name in each of the nearest
//   32 parents of the recorded folder.
class RecordedPathSource final : public SymbolSource {
 public:
  explicit RecordedPathSource(const FileRoots& roots) : roots_(roots) {}
  // See SymbolSourceEntry::add_places.
  static void AddPlaces(const SymbolizeOptions& options,
                        std::vector<std::string>* places);
  // Offers the files that the class describes. Reports a missing file as tried.
  void OfferBinaries(const FileRequest& request,
                     FileSearch* search) const override;

 private:
  const FileRoots& roots_;
};

// Returns true if `file` is proven to be the mapped file itself, and not
// another file at its path. Only file systems with inode generations allow the
// proof.
bool IsMappedInode(const Dso& mapped, const SafeFile& file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_
