// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_ARCHIVE_SOURCE_H_
#define PERF2X_SYMBOLIZE_FIND_ARCHIVE_SOURCE_H_

#include <memory>
#include <string>

#include "converter/symbolize/find/archive.h"
#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/find/item_source.h"

namespace perf2x {

// The tar file of --archive. Opened by the constructor. If that fails, nothing
// is found, and NoteFailure says why.
class ArchiveSource final : public ItemSource {
 public:
  explicit ArchiveSource(const FileRoots& roots)
      : path_(roots.options().archive) {
    if (path_.empty()) return;
    auto archive = Archive::Open(path_);
    if (archive.ok()) {
      archive_ = *std::move(archive);
    } else {
      error_ = std::string(archive.status().message());
    }
  }
  std::shared_ptr<const SafeFile> FindItem(
      const BuildId& id, absl::string_view item) const override {
    return archive_ == nullptr ? nullptr : archive_->Find(id, item);
  }
  void NoteFailure(FileSearch* search) const override {
    if (!error_.empty()) search->Note(path_, error_);
  }

 private:
  const std::string path_;                  // empty: none
  std::unique_ptr<const Archive> archive_;  // null: none, or not readable
  std::string error_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_ARCHIVE_SOURCE_H_
