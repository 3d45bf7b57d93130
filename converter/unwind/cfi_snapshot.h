// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_CFI_SNAPSHOT_H_
#define PERF2X_UNWIND_CFI_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "converter/unwind/dso_cfi.h"
#include "converter/unwind/frame_rule.h"
#include "converter/unwind/unwind_tables.h"

namespace perf2x {

// A copy of what a DsoCfiTable has decoded so far, for other threads.
// Immutable; the table must outlive it. The rows stay valid, as a row of the
// table never changes.
struct CfiSnapshot {
  using Row = DsoCfi::Row;
  struct File {
    // Only its thread-safe methods may be called. Null: not opened.
    const DsoCfi* cfi = nullptr;
    std::shared_ptr<const std::vector<Row>> rows;  // ascending
  };
  std::vector<File> files;  // by DsoId
  std::shared_ptr<const FrameRules> rules;
};

// UnwindTables that answer from a CfiSnapshot alone. If it lacks the data, they
// set missed(). Not thread-safe.
class SnapshotTables final : public UnwindTables {
 public:
  SnapshotTables() : UnwindTables(nullptr) {}
  // To be called before each stack; resets missed(). `known` must be a copy of
  // the same table as in the last call, and not older than that copy.
  void BeginStack(const std::shared_ptr<const CfiSnapshot>& known) {
    if (known_ != known) {
      known_ = known;
      rules_ = known_->rules.get();
    }
    missed_ = false;
  }

  // See UnwindTables. These set missed() if the copy lacks the DSO or the row.
  RuleId Find(DsoId dso, uint64_t offset) override;
  bool IsPresent(DsoId dso) override;
  bool ReadConstant(DsoId dso, uint64_t offset, int size, uint8_t* to) override;

 private:
  const CfiSnapshot::File* FileOf(DsoId dso);

  std::shared_ptr<const CfiSnapshot> known_;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_CFI_SNAPSHOT_H_
