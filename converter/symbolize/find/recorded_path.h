// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_
#define PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_

#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/symbol_source.h"

namespace perf2x {

// The file at the recorded path, or below symfs. Where the build id is known,
// also in the folders above the path and below the roots of other processes.
class RecordedPathSource final : public SymbolSource {
 public:
  explicit RecordedPathSource(const FileRoots& roots) : roots_(roots) {}
  void OfferBinaries(const FileRequest& request,
                     FileSearch* search) const override;

 private:
  const FileRoots& roots_;
};

// Returns true if `file` is the mapped file itself, and not merely another one
// at its path. Only file systems that number the uses of an inode prove it.
bool IsMappedInode(const Dso& mapped, const SafeFile& file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_RECORDED_PATH_H_
