// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_USER_STACKS_H_
#define PERF2X_SESSION_USER_STACKS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/diagnostics.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample.h"
#include "converter/session/address_map.h"
#include "converter/unwind/unwinder.h"

namespace perf2x {

// A word of a stack's chain that is none of the kernel's context markers: here
// the recorded copy of the stack ended, callers are missing.
inline constexpr uint64_t kStackTruncated = static_cast<uint64_t>(-4000);

// Works out the user part of stacks that a recording holds as registers and a
// copy of the stack (perf record --call-graph dwarf), and what frame pointers
// leave out of a recorded callchain.
class UserStacks {
 public:
  // `arch` as uname says it where the recording was made. `source` gives the
  // code; null: frame pointers are all there is.
  UserStacks(const TraceTables& tables, std::string arch,
             std::unique_ptr<UnwindInfoSource> source);

  // Whether `sample` has a stack to work out.
  static bool Has(const SampleRecord& sample) {
    return sample.user_abi != kAbiNone && sample.stack_size != 0;
  }
  // Appends the stack of such a sample, taken in the address space `map`, to
  // `*chain`: words as in a recorded callchain, leaf first. While a program
  // replaces `replaced`, registers may be those of code there, whose stack is
  // gone: it is a frame alone.
  void Append(const SampleRecord& sample, const EventAttr& attr,
              const AddressMap& map, const AddressMap& replaced,
              std::vector<uint64_t>* chain);

  // Whether `sample` has registers beside a callchain.
  static bool HasRegisters(const SampleRecord& sample) {
    return sample.user_abi != kAbiNone && !sample.user_regs.empty() &&
           !sample.ips.empty();
  }
  // The caller of the innermost user function of such a sample, and before
  // which word of its callchain it belongs. A function that has not saved its
  // return address yet, or never does, has no frame of its own: frame pointers
  // lead from it to its caller's caller. Nullopt: the callchain has it, or it
  // is not known.
  struct LeafCaller {
    size_t at = 0;
    uint64_t address = 0;
  };
  std::optional<LeafCaller> FindLeafCaller(const SampleRecord& sample,
                                           const EventAttr& attr,
                                           const AddressMap& map);

  // How many stacks there were, and how many of them need more of the stack
  // than was copied.
  uint64_t stacks() const;
  uint64_t cut_stacks() const {
    return stops_[static_cast<int>(UnwindStop::kStackEnd)];
  }
  // Tells of the other stacks that are not whole, by why they ended.
  void Report(Diagnostics* diagnostics) const;

 private:
  class Maps;
  Unwinder* UnwinderOf(const Machine& machine, uint64_t abi);
  CodeLocation LocationOf(const MapEntry& entry) const;

  const TraceTables& tables_;
  const std::string arch_;
  std::unique_ptr<UnwindInfoSource> source_;
  std::array<std::unique_ptr<Unwinder>, 3> unwinders_;  // by register ABI
  std::array<uint64_t, kUnwindStops> stops_{};
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_USER_STACKS_H_
