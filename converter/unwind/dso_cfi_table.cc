// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/dso_cfi_table.h"

namespace perf2x {

std::shared_ptr<const CfiSnapshot> DsoCfiTable::Snapshot(
    const CfiSnapshot* last) const {
  auto known = std::make_shared<CfiSnapshot>();
  known->rules = last != nullptr && last->rules->size() == rule_table_.size()
                     ? last->rules
                     : std::make_shared<const FrameRules>(rule_table_);
  known->files.resize(files_.size());
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i] == nullptr) continue;
    CfiSnapshot::File& file = known->files[i];
    file.cfi = files_[i].get();
    const bool same = last != nullptr && i < last->files.size() &&
                      last->files[i].cfi != nullptr &&
                      last->files[i].rows->size() == files_[i]->rows();
    file.rows = same ? last->files[i].rows
                     : std::make_shared<const std::vector<CfiSnapshot::Row>>(
                           files_[i]->CopyRows());
  }
  return known;
}

size_t DsoCfiTable::rows() const {
  size_t rows = 0;
  for (const auto& file : files_) rows += file == nullptr ? 0 : file->rows();
  return rows;
}

}  // namespace perf2x
