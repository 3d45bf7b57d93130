// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/cfi_snapshot.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace perf2x {

// Returns null, and sets missed_, if the file was not opened.
const CfiSnapshot::File* SnapshotTables::FileOf(DsoId dso) {
  const std::vector<CfiSnapshot::File>& files = known_->files;
  if (dso < files.size() && files[dso].cfi != nullptr) return &files[dso];
  missed_ = true;
  return nullptr;
}

RuleId SnapshotTables::Find(DsoId dso, uint64_t offset) {
  const CfiSnapshot::File* const file = FileOf(dso);
  if (file == nullptr) return kNoRule;
  const std::optional<uint64_t> address = file->cfi->AddressOf(offset);
  if (!address.has_value()) return kNoRule;
  const std::vector<CfiSnapshot::Row>& rows = *file->rows;
  const auto next = std::upper_bound(
      rows.begin(), rows.end(), *address,
      [](uint64_t a, const CfiSnapshot::Row& row) { return a < row.start; });
  if (next != rows.begin() && *address < std::prev(next)->end) {
    return std::prev(next)->rule;
  }
  missed_ = true;
  return kNoRule;
}

bool SnapshotTables::IsPresent(DsoId dso) {
  const CfiSnapshot::File* const file = FileOf(dso);
  return file != nullptr && file->cfi->present();
}

bool SnapshotTables::ReadConstant(DsoId dso, uint64_t offset, int size,
                                  uint8_t* to) {
  const CfiSnapshot::File* const file = FileOf(dso);
  return file != nullptr && file->cfi->ReadConstant(offset, size, to);
}

}  // namespace perf2x
