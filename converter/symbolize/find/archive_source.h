// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_ARCHIVE_SOURCE_H_
#define PERF2X_SYMBOLIZE_FIND_ARCHIVE_SOURCE_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/symbolize/find/archive.h"
#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/find/item_source.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// The tar file of --archive. Opened by the constructor. If that fails, nothing
// is found, and Failure says why.
class ArchiveSource final : public ItemSource {
 public:
  explicit ArchiveSource(const FileRoots& roots) {
    const std::string& path = roots.options().archive;
    if (path.empty()) return;
    auto archive = Archive::Open(path);
    if (archive.ok()) {
      archive_ = *std::move(archive);
    } else {
      error_ = std::string(archive.status().message());
    }
  }
  // See SymbolSourceEntry::add_places.
  static void AddPlaces(const SymbolizeOptions& options,
                        std::vector<std::string>* places) {
    const std::string& path = options.binaries.archive;
    if (!path.empty()) places->push_back(path);
  }
  // Returns the archive's file; null if there is none.
  std::shared_ptr<const SafeFile> FindItem(
      const BuildId& id, absl::string_view item) const override {
    return archive_ == nullptr ? nullptr : archive_->Find(id, item);
  }
  std::string Failure() const override { return error_; }

 private:
  std::unique_ptr<const Archive> archive_;  // null: none, or not readable
  std::string error_;                       // empty: none
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_ARCHIVE_SOURCE_H_
