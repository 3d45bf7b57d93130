// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_USER_STACKS_H_
#define PERF2X_SESSION_USER_STACKS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/diagnostics.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample.h"
#include "converter/session/address_map.h"
#include "converter/unwind/dso_cfi_table.h"
#include "converter/unwind/unwinder.h"

namespace perf2x {

// perf2x's own marker in callchains: the user stack dump ended here, and
// callers are missing.
inline constexpr uint64_t kStackTruncated = static_cast<uint64_t>(-4000);

// The input of unwinding: the registers and the user stack dump of a sample,
// and the mappings of its process. Refers to the bytes of the sample's record.
struct UnwindInput {
  uint64_t abi = 0;  // register ABI of the task: 1: 32 bits, 2: 64 bits
  uint64_t register_mask = 0;       // perf's mask: one bit for each value
  WordSpan registers;               // lowest bit of the mask first
  absl::Span<const uint8_t> bytes;  // the dump, from the stack pointer on
  // The mappings of the process, and of the program that it replaced: during an
  // exec, the registers may still be the old program's. Before other threads
  // read them, AddressMap::Arena::Freeze must be called.
  AddressMap map, replaced;
};

// How the unwinding of a stack ended, and what it cost.
struct UnwindOutcome {
  UnwindStop stop = UnwindStop::kComplete;
  uint64_t work = 0;  // steps of Budget::kWork, without callchain words
};

// Unwinds the user stack of a task of `machine`. Appends the callchain to
// `*chain` as Unwinder::Unwind does: PERF_CONTEXT_USER, then addresses, leaf
// first. Returns why the unwinding ended, and its cost.
// - If the dump ended before the stack did, kStackTruncated comes last.
// - If the program counter is mapped only in `replaced`, appends that address
//   alone: the stack of the replaced program no longer exists.
// - If the program counter is not known or not mapped at all, appends nothing.
UnwindOutcome AppendUnwound(const UnwindInput& input, const Machine& machine,
                            Unwinder& unwinder, std::vector<uint64_t>* chain);

// Unwinds the user part of stacks from registers and a user stack dump (perf
// record --call-graph dwarf). Reads call frame information as needed and keeps
// it. Also finds the leaf caller that callchains recorded by frame pointers may
// lack. Not thread-safe.
class UserStacks {
 public:
  // Register ABIs: none, 32 and 64 bits.
  static constexpr size_t kAbis = 3;

  // `arch` is the recorded machine, as in uname -m. `source` finds code and its
  // call frame information; null: only frame pointers are used.
  UserStacks(const std::string& arch, std::unique_ptr<UnwindInfoSource> source);

  // Returns true if `sample` has a user stack dump to unwind.
  static bool HasStackDump(const SampleRecord& sample) {
    return sample.user_abi != kAbiNone && sample.stack_size != 0;
  }
  // Returns what the stack of `sample` is unwound from. Requires HasStackDump.
  // `attr` belongs to the sample's event. `map` and `replaced` become the
  // members of the same name. The result points into the sample's record.
  static UnwindInput UnwindInputOf(const SampleRecord& sample,
                                   const EventAttr& attr, const AddressMap& map,
                                   const AddressMap& replaced);
  // Unwinds a stack as AppendUnwound does, and sets `*unwound`. Appends nothing
  // for a machine or ABI that is not supported. Always returns true, unlike
  // UnwindHelper::Append.
  bool Append(const UnwindInput& input, std::vector<uint64_t>* chain,
              UnwindOutcome* unwound);
  // Counts a stack that was unwound here or by an UnwindHelper.
  void Count(const UnwindOutcome& stack) {
    ++stops_[static_cast<size_t>(stack.stop)];
  }

  // The call frame information read so far, by ABI, for use on other threads.
  // Must not outlive the UserStacks.
  struct CfiSnapshots {
    // For one register ABI, which is the index in `abis`.
    struct ForAbi {
      // Null: no stack of this ABI was unwound.
      const Machine* machine = nullptr;
      std::shared_ptr<const CfiSnapshot> cfi;  // null: none read
    };
    std::array<ForAbi, kAbis> abis;
  };
  // Returns a copy of all call frame information read so far. `last` is an
  // earlier result or empty; its unchanged parts are shared.
  CfiSnapshots SnapshotCfi(const CfiSnapshots& last) const;
  // Returns the number of rows of call frame information read so far.
  size_t cfi_rows() const;

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
  // Returns the leaf caller that the callchain of a sample lacks. Requires
  // HasRegisters. Frame pointers skip the caller if the function has not saved
  // its return address (yet). Returns nullopt if the callchain has the caller,
  // or the caller is not known.
  std::optional<LeafCaller> FindLeafCaller(const SampleRecord& sample,
                                           const EventAttr& attr,
                                           const AddressMap& map);

  // Return the number of stacks that were counted, and the number of them whose
  // dump was too small.
  uint64_t stacks() const;
  uint64_t incomplete_dumps() const {
    return stops_[static_cast<size_t>(UnwindStop::kStackEnd)];
  }
  // Adds a note for each reason why stacks were not unwound to their ends,
  // except for dumps that are too small.
  void Report(Diagnostics* diagnostics) const;

 private:
  struct ForAbi {
    const Machine* machine = nullptr;  // null: not known
    std::unique_ptr<DsoCfiTable> tables;
    std::unique_ptr<Unwinder> unwinder;  // null: not used yet
  };
  ForAbi* UnwinderOf(uint64_t abi);

  const std::unique_ptr<UnwindInfoSource> source_;
  std::array<ForAbi, kAbis> abis_;
  std::array<uint64_t, kUnwindStops> stops_{};
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_USER_STACKS_H_
