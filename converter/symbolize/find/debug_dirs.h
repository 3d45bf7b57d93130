// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_DEBUG_DIRS_H_
#define PERF2X_SYMBOLIZE_FIND_DEBUG_DIRS_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/find/flat_folder.h"
#include "converter/symbolize/symbol_source.h"

namespace perf2x {

// Separate debug files by build id: .build-id/ab/cdef….debug in the debug
// directories.
class DebugFileDirs final : public SymbolSource {
 public:
  explicit DebugFileDirs(const FileRoots& roots) : roots_(roots) {}
  // Offers the file of request.id in each debug directory.
  void OfferDebugFiles(const FileRequest& request,
                       FileSearch* search) const override;

 private:
  const FileRoots& roots_;
};

// Files with code in the debug directories, by build id: .build-id/ab/cdef…,
// then all files directly in a debug directory.
class DebugDirs final : public SymbolSource {
 public:
  explicit DebugDirs(const FileRoots& roots);
  // See SymbolSourceEntry::add_places.
  static void AddPlaces(const SymbolizeOptions& options,
                        std::vector<std::string>* places);
  // Offers the files with request.id.
  void OfferBinaries(const FileRequest& request,
                     FileSearch* search) const override;

 private:
  const FileRoots& roots_;
  std::vector<std::unique_ptr<const FlatFolder>> flat_folders_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_DEBUG_DIRS_H_
