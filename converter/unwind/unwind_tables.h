// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_UNWIND_TABLES_H_
#define PERF2X_UNWIND_UNWIND_TABLES_H_

#include <cstdint>

#include "converter/model/model.h"
#include "converter/unwind/frame_rule.h"

namespace perf2x {

// The call frame information and the constants of all DSOs, for one machine.
// Not thread-safe.
class UnwindTables {
 public:
  virtual ~UnwindTables() = default;
  UnwindTables(const UnwindTables&) = delete;
  UnwindTables& operator=(const UnwindTables&) = delete;

  // Returns the rule for the instruction at `offset` in the file, or at that
  // address of generated code; kNoRule if there is none.
  virtual RuleId Find(DsoId dso, uint64_t offset) = 0;
  // Returns true if the file was found. Generated code has no file.
  virtual bool IsPresent(DsoId dso) = 0;
  // Copies bytes of a read-only segment. Returns false if the file does not
  // have all of them.
  virtual bool ReadConstant(DsoId dso, uint64_t offset, int size,
                            uint8_t* to) = 0;

  // The rules that Find returns.
  const FrameRules& rules() const { return *rules_; }
  // If set, the tables were asked for what they do not know, though other
  // tables may. The results since then mean nothing.
  bool missed() const { return missed_; }

 protected:
  explicit UnwindTables(const FrameRules* rules) : rules_(rules) {}
  const FrameRules* rules_;  // never null when a method is called
  bool missed_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_UNWIND_TABLES_H_
