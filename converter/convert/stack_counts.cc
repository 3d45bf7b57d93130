// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/stack_counts.h"

namespace perf2x {

StackCounts StackCounts::FromStacks(const StackSubset& stacks) {
  StackCounts counts;
  stacks.ForEach([&](uint64_t samples, auto places) {
    bool in_kernel = false, known_leaf = false;
    uint64_t user_frames = 0, known_callers = 0, unknown_callers = 0;
    for (const StackSubset::Place& place : places) {
      const Dso& file = stacks.dsos()[place.dso];
      switch (file.kind) {
        case DsoKind::kKernel:
        case DsoKind::kKernelModule:
          in_kernel = true;
          continue;
        case DsoKind::kGenerated:
          if (file.pid < 0) continue;
          break;
        case DsoKind::kGuestKernel:
        case DsoKind::kGuestUser:
        case DsoKind::kHypervisor:
          continue;
        default:
          break;
      }
      const bool known = file.kind != DsoKind::kUnknown;
      if (user_frames++ == 0) {
        known_leaf = known;
        continue;
      }
      if (!known_leaf) break;  // the recording lacks maps: callers say nothing
      ++(known ? known_callers : unknown_callers);
    }
    if (in_kernel) counts.kernel += samples;
    if (!known_leaf) return;
    counts.user += samples;
    counts.callers += samples * (known_callers + unknown_callers);
    counts.unmapped_callers += samples * unknown_callers;
    if (known_callers == 0) {
      counts.without_callers += samples;
    } else if (unknown_callers > known_callers) {
      counts.mostly_unmapped += samples;
    }
  });
  return counts;
}

}  // namespace perf2x
