// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_UNWIND_TABLES_H_
#define PERF2X_UNWIND_UNWIND_TABLES_H_

#include <cstdint>

#include "converter/model/model.h"
#include "converter/unwind/frame_rule.h"

namespace perf2x {

// The call frame information and the read-only data of all DSOs, for tasks of
// one Machine. Not thread-safe.
class UnwindTables {
 public:
  virtual ~UnwindTables() = default;
  UnwindTables(const UnwindTables&) = delete;
  UnwindTables& operator=(const UnwindTables&) = delete;

  // Returns the rule for the instruction at `offset`; kNoRule if there is none.
  // `offset` is a file offset or, for generated code, a run-time address.
  virtual RuleId Find(DsoId dso, uint64_t offset) = 0;
  // Returns true if a file for this machine was found. Generated code has no
  // file.
  virtual bool IsPresent(DsoId dso) = 0;
  // Copies the `size` bytes at file offset `offset` of a read-only segment to
  // `to`. Returns false if the file does not have all of them.
  virtual bool ReadConstant(DsoId dso, uint64_t offset, int size,
                            uint8_t* to) = 0;

  // Returns the rules whose ids Find returns. Valid until the tables are
  // replaced (SnapshotTables::BeginStack).
  const FrameRules& rules() const { return *rules_; }
  // Returns true if a call since SnapshotTables::BeginStack needed data that
  // its copy lacks. The results of all calls since then are invalid. Only
  // SnapshotTables (cfi_snapshot.h) sets this.
  bool missed() const { return missed_; }

 protected:
  explicit UnwindTables(const FrameRules* rules) : rules_(rules) {}
  const FrameRules* rules_;  // never null when a method is called
  bool missed_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_UNWIND_TABLES_H_
