// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_DSO_CFI_H_
#define PERF2X_UNWIND_DSO_CFI_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "converter/unwind/arm_exidx.h"
#include "converter/unwind/cfi_program.h"
#include "converter/unwind/cfi_table.h"
#include "converter/unwind/frame_rule.h"
#include "converter/unwind/registers.h"
#include "converter/unwind/unwind_info_source.h"

namespace perf2x {

// The call frame information of one DSO. For an address, uses the first of
// these sections that has a usable entry:
// 1. .eh_frame;
// 2. .debug_frame of the file or, if the file has none, of its debug file;
// 3. .ARM.exidx (32-bit ARM).
// Caches the rules of rows that were looked up. Charges the file's budget; once
// that is exhausted, reads no more of the file. Not thread-safe, except where
// stated.
class DsoCfi {
 public:
  // The rule for the instructions at [start, end), link-time addresses.
  struct Row {
    uint64_t start, end;
    RuleId rule;
  };
  // Opens the file of `dso`. `machine`, `source` and `rules` must outlive this
  // object. A file that was not found or is for another machine has no rules.
  DsoCfi(const Machine& machine, DsoId dso, UnwindInfoSource* source,
         RuleTable* rules);

  // Returns the rule for the instruction at `offset`; kNoRule if there is none.
  // `offset` is a file offset or, for generated code, a run-time address.
  RuleId Find(uint64_t offset);
  // Converts `offset`, as in Find, to the address by which rows are found.
  // Nullopt if no row can be there. Thread-safe.
  std::optional<uint64_t> AddressOf(uint64_t offset) const;
  // Returns true if a file for this machine was found. Generated code has no
  // file, but may have rules. Thread-safe.
  bool present() const { return elf_ != nullptr; }
  // Copies the `size` bytes at `offset` of the file to `to`. Returns false
  // unless segments that are not writable have all of them. Thread-safe.
  bool ReadConstant(uint64_t offset, int size, uint8_t* to) const;

  // Returns the number of rows that Find has decoded. A row never changes.
  size_t rows() const { return rows_.size(); }
  // Returns these rows, ascending and without overlaps.
  std::vector<Row> CopyRows() const;

 private:
  bool ForMachine(const ElfFile& elf) const;
  RuleRange Parse(uint64_t address);
  bool FromTable(CfiTable* table, uint64_t address, RuleRange* range) const;
  void OpenDebugFrame();
  Budget& budget();
  bool exhausted();

  const Machine& machine_;
  const DsoId file_;
  UnwindInfoSource* const source_;
  RuleTable* const rules_;
  std::shared_ptr<const ElfFile> elf_, debug_elf_;
  // Parts [first, second) of elf_ that segments map read-only; ascending,
  // disjoint.
  std::vector<std::pair<uint64_t, uint64_t>> constants_;
  std::deque<std::string> unpacked_;  // .debug_frame, if compressed
  std::optional<CfiTable> eh_frame_, debug_frame_;
  std::optional<ArmExidx> exidx_;
  Budget generated_budget_{Budget::kGeneratedCodeRules};  // of generated code
  bool debug_frame_tried_ = false;
  absl::btree_map<uint64_t, Row> rows_;  // by start; without overlaps
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_DSO_CFI_H_
