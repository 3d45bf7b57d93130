// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/debug_dirs.h"

#include <string>

#include "converter/symbolize/symbolize.h"

namespace perf2x {

void DebugFileDirs::OfferDebugFiles(const FileRequest& request,
                                    FileSearch* search) const {
  for (const FilePlace& place : roots_.BuildIdPlaces(request.id, ".debug")) {
    search->Try(place);
  }
}

DebugDirs::DebugDirs(const FileRoots& roots) : roots_(roots) {
  for (const std::string& dir : roots.options().debug_dirs) {
    flat_folders_.push_back(std::make_unique<FlatFolder>(dir));
  }
}

void DebugDirs::AddPlaces(const SymbolizeOptions& options,
                          std::vector<std::string>* places) {
  const std::vector<std::string>& dirs = options.binaries.debug_dirs;
  places->insert(places->end(), dirs.begin(), dirs.end());
}

void DebugDirs::OfferBinaries(const FileRequest& request,
                              FileSearch* search) const {
  for (const FilePlace& place : roots_.BuildIdPlaces(request.id, "")) {
    search->Try(place);
  }
  for (const auto& folder : flat_folders_) {
    if (search->done()) return;  // the first look-up reads the folder
    for (const std::string& path : folder->Find(request.id)) search->Try(path);
  }
}

}  // namespace perf2x
