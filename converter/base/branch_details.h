// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BRANCH_DETAILS_H_
#define PERF2X_BASE_BRANCH_DETAILS_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace perf2x {

// The instruction or event that caused a branch. kUnknown to kNoTransaction
// equal PERF_BR_* in include/uapi/linux/perf_event.h. kAlignmentFault to kArch5
// are PERF_BR_NEW_*, in the kernel's order.
enum class BranchKind : uint8_t {
  kUnknown,
  kConditional,
  kUnconditional,
  kIndirect,
  kCall,
  kIndirectCall,
  kReturn,
  kSyscall,
  kSyscallReturn,
  kConditionalCall,
  kConditionalReturn,
  kExceptionReturn,
  kInterrupt,
  kSystemError,
  kNoTransaction,
  kAlignmentFault,
  kDataFault,
  kInstructionFault,
  kArch1,  // to kArch5: defined by the architecture
  kArch2,
  kArch3,
  kArch4,
  kArch5,
};

// How the processor speculated on a branch (PERF_BR_SPEC_*).
enum class BranchSpeculation : uint8_t {
  kUnknown,
  kWrongPath,    // speculated, and did not retire
  kNone,         // did not speculate
  kCorrectPath,  // speculated, and retired
};

// The privilege level of a branch's target (PERF_BR_PRIV_*).
enum class BranchPrivilege : uint8_t { kUnknown, kUser, kKernel, kHypervisor };

// What the processor recorded of a branch besides the members of Branch
// (addresses, cycles, misprediction).
struct BranchDetails {
  // Predicted correctly. If Branch::mispredicted is false, too: not known.
  bool predicted = false;
  // The branch was in a hardware transaction, or aborted one.
  bool in_transaction = false, aborts_transaction = false;
  BranchKind kind = BranchKind::kUnknown;
  BranchSpeculation speculation = BranchSpeculation::kUnknown;
  BranchPrivilege privilege = BranchPrivilege::kUnknown;
};

// Each function below returns perf's word for a value in lower case, as in
// "ind-call". For kUnknown, it returns "".

inline absl::string_view BranchKindName(BranchKind kind) {
  constexpr absl::string_view kNames[] = {
      "",       "cond",    "uncond", "ind",        "call",       "ind-call",
      "ret",    "syscall", "sysret", "cond-call",  "cond-ret",   "eret",
      "irq",    "serror",  "no-tx",  "fault-algn", "fault-data", "fault-inst",
      "arch-1", "arch-2",  "arch-3", "arch-4",     "arch-5"};
  return kNames[static_cast<size_t>(kind)];
}

inline absl::string_view BranchSpeculationName(BranchSpeculation speculation) {
  constexpr absl::string_view kNames[] = {
      "", "spec-wrong-path", "non-spec-correct-path", "spec-correct-path"};
  return kNames[static_cast<size_t>(speculation)];
}

inline absl::string_view BranchPrivilegeName(BranchPrivilege privilege) {
  constexpr absl::string_view kNames[] = {"", "user", "kernel", "hypervisor"};
  return kNames[static_cast<size_t>(privilege)];
}

}  // namespace perf2x

#endif  // PERF2X_BASE_BRANCH_DETAILS_H_
