// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_DSO_CFI_TABLE_H_
#define PERF2X_UNWIND_DSO_CFI_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "converter/base/machine.h"
#include "converter/unwind/cfi_snapshot.h"
#include "converter/unwind/dso_cfi.h"
#include "converter/unwind/unwind_info_source.h"
#include "converter/unwind/unwind_tables.h"

namespace perf2x {

// UnwindTables that open files, and decode their rows, on demand. Not
// thread-safe.
class DsoCfiTable final : public UnwindTables {
 public:
  // Both must outlive the table.
  DsoCfiTable(const Machine& machine, UnwindInfoSource* source)
      : UnwindTables(&rule_table_), machine_(machine), source_(source) {}

  // See UnwindTables. These open the DSO's file at its first call.
  RuleId Find(DsoId dso, uint64_t offset) override {
    return Get(dso).Find(offset);
  }
  bool IsPresent(DsoId dso) override { return Get(dso).present(); }
  bool ReadConstant(DsoId dso, uint64_t offset, int size,
                    uint8_t* to) override {
    return Get(dso).ReadConstant(offset, size, to);
  }

  // Returns a copy of all that was decoded so far. `last` is an earlier copy
  // from this table, or null. The new copy shares the unchanged parts of
  // `last`.
  std::shared_ptr<const CfiSnapshot> Snapshot(const CfiSnapshot* last) const;
  // Returns the number of rows that were decoded so far.
  size_t rows() const;

 private:
  DsoCfi& Get(DsoId dso) {
    if (dso >= files_.size()) files_.resize(size_t{dso} + 1);
    if (files_[dso] == nullptr) {
      files_[dso] =
          std::make_unique<DsoCfi>(machine_, dso, source_, &rule_table_);
    }
    return *files_[dso];
  }

  const Machine& machine_;
  UnwindInfoSource* const source_;
  RuleTable rule_table_;
  std::vector<std::unique_ptr<DsoCfi>> files_;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_DSO_CFI_TABLE_H_
