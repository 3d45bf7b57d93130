// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_
#define PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_

#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/symbol_source.h"

namespace perf2x {

// The file at the recorded path, below symfs if that is set. If the build id is
// known, also files of that name in the folders above the recorded one, and the
// recorded path below the roots of other processes.
class RecordedPathSource final : public SymbolSource {
 public:
  explicit RecordedPathSource(const FileRoots& roots) : roots_(roots) {}
  void OfferBinaries(const FileRequest& request,
                     FileSearch* search) const override;

 private:
  const FileRoots& roots_;
};

// Returns true if `file` is proven to be the mapped file itself, and not merely
// another file at its path. Only file systems with inode generations allow the
// proof.
bool IsMappedInode(const Dso& mapped, const SafeFile& file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_
