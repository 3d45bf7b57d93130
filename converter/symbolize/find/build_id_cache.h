// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_BUILD_ID_CACHE_H_
#define PERF2X_SYMBOLIZE_FIND_BUILD_ID_CACHE_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/find/item_source.h"

namespace perf2x {

// perf's build-id cache: ~/.debug or --buildid-dir.
class BuildIdCache final : public ItemSource {
 public:
  explicit BuildIdCache(const FileRoots& roots);
  // See SymbolSourceEntry::add_places.
  static void AddPlaces(const SymbolizeOptions& options,
                        std::vector<std::string>* places);
  // Returns the file .build-id/ab/cdef…/`item` in the cache; null if there is
  // none.
  std::shared_ptr<const SafeFile> FindItem(
      const BuildId& id, absl::string_view item) const override;

 private:
  std::string folder_;  // empty: none
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_BUILD_ID_CACHE_H_
