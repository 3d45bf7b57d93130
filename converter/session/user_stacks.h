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
#include "converter/session/work_meter.h"
#include "converter/unwind/unwinder.h"

namespace perf2x {

// A marker in callchains that is not one of the kernel's context markers: the
// user stack dump ended here, and callers are missing.
inline constexpr uint64_t kStackTruncated = static_cast<uint64_t>(-4000);

// Unwinds the user part of stacks from registers and a user stack dump (perf
// record --call-graph dwarf). Also finds the leaf caller that callchains
// recorded by frame pointers may lack. Not thread-safe.
class UserStacks {
 public:
  // `arch` is the recorded machine, as in uname -m. `source` finds code and its
  // unwind information; null: only frame pointers are used. References must
  // outlive this object.
  UserStacks(const TraceTables& tables, std::string arch,
             std::unique_ptr<UnwindInfoSource> source, WorkMeter& work);

  // Returns true if `sample` has a user stack dump to unwind.
  static bool HasStackDump(const SampleRecord& sample) {
    return sample.user_abi != kAbiNone && sample.stack_size != 0;
  }
  // Unwinds the stack of a sample, which must have a stack dump, in the address
  // space `map`. Appends it to `*chain` as words of a callchain, leaf first;
  // nothing if it cannot be unwound at all. If the dump ended before the stack
  // did, kStackTruncated comes last. During an exec, registers may still be
  // those of the old program, whose map is `replaced` and whose stack no longer
  // exists: then appends a single frame.
  void Append(const SampleRecord& sample, const EventAttr& attr,
              const AddressMap& map, const AddressMap& replaced,
              std::vector<uint64_t>* chain);

  // Returns true if `sample` has user registers besides a callchain.
  static bool HasRegisters(const SampleRecord& sample) {
    return sample.user_abi != kAbiNone && !sample.user_regs.empty() &&
           !sample.ips.empty();
  }
  // The caller of the innermost user function of a sample.
  struct LeafCaller {
    size_t at = 0;         // index of the callchain word that it precedes
    uint64_t address = 0;  // return address
  };
  // Returns the leaf caller that the callchain of a sample lacks; HasRegisters
  // must be true. Frame pointers skip the caller if the function has not saved
  // its return address (yet). Returns nullopt if the callchain has the caller,
  // or the caller is not known.
  std::optional<LeafCaller> FindLeafCaller(const SampleRecord& sample,
                                           const EventAttr& attr,
                                           const AddressMap& map);

  // Return the number of stacks that Append unwound, as far as it could, and
  // how many of these need more of the stack than was dumped.
  uint64_t stacks() const;
  uint64_t incomplete_dumps() const {
    return stops_[static_cast<int>(UnwindStop::kStackEnd)];
  }
  // Adds a note for each other reason why stacks were not unwound to their
  // ends.
  void Report(Diagnostics* diagnostics) const;

 private:
  class Maps;
  Unwinder* UnwinderOf(const Machine& machine, uint64_t abi);
  CodeLocation LocationOf(const MapEntry& entry) const;

  const TraceTables& tables_;
  const std::string arch_;
  std::unique_ptr<UnwindInfoSource> source_;
  WorkMeter& work_;
  std::array<std::unique_ptr<Unwinder>, 3> unwinders_;  // by register ABI
  std::array<uint64_t, kUnwindStops> stops_{};
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_USER_STACKS_H_
