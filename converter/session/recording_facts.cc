// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recording_facts.h"

#include <algorithm>

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// Callchains of fewer frames are too short to tell how they were made.
constexpr uint16_t kFewFrames = 8;

// Returns true if user callchains of `attr` may end elsewhere than
// frame-pointer unwinding does.
bool HasOtherCallchains(const EventAttr& attr) {
  return attr.exclude_callchain_user() || attr.defer_callchain() ||
         (attr.branch_sample_type & kBranchCallStack) != 0 ||
         (attr.sample_max_stack != 0 && attr.sample_max_stack < kFewFrames);
}

}  // namespace

void RecordingFacts::AddEvents(
    const std::vector<RecordedEvent>& recorded, bool has_stack_limit,
    const std::vector<CountingTimes::Times>& counted) {
  bool any_callchain = false, others = has_stack_limit;
  bool any_program = false, any_stack = false;
  for (const RecordedEvent& event : recorded) {
    const EventAttr& attr = event.attr;
    events.push_back({event.kind,
                      attr.exclude_user(),
                      attr.exclude_kernel(),
                      attr.freq(),
                      attr.sample_period,
                      {}});
    has_branches |= (attr.sample_type & kSampleBranchStack) != 0;
    has_data_addresses |= (attr.sample_type & kSampleAddr) != 0;
    any_program |=
        event.kind != EventKind::kTracepoint && event.kind != EventKind::kDummy;
    any_stack |= (attr.sample_type & (kSampleCallchain | kSampleStackUser |
                                      kSampleBranchStack)) != 0;
    if ((attr.sample_type & kSampleStackUser) != 0) {
      dump_size = std::max(dump_size, attr.sample_stack_user);
      others = true;
    }
    if ((attr.sample_type & kSampleCallchain) == 0) continue;
    any_callchain = true;
    others |= HasOtherCallchains(attr);
  }
  follows_frame_pointers = any_callchain && !others;
  lacks_call_graphs = any_program && !any_stack;
  for (size_t i = 0; i < std::min(counted.size(), events.size()); ++i) {
    events[i].counted = counted[i];
  }
}

}  // namespace perf2x
