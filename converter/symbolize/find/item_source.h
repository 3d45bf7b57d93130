// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_ITEM_SOURCE_H_
#define PERF2X_SYMBOLIZE_FIND_ITEM_SOURCE_H_

#include "converter/symbolize/find/file_search.h"
#include "converter/symbolize/symbol_source.h"

namespace perf2x {

// A source of files that are laid out as items of a build-id cache. Derived
// classes implement FindItem.
class ItemSource : public SymbolSource {
 public:
  // These offer the items "elf" and "debug" for request.id.
  void OfferBinaries(const FileRequest& request,
                     FileSearch* search) const final {
    search->TryFile(FindItem(request.id, "elf"));
  }
  void OfferDebugFiles(const FileRequest& request,
                       FileSearch* search) const final {
    search->TryFile(FindItem(request.id, "debug"));
  }
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_ITEM_SOURCE_H_
