// The part of Session that says how the recording was made.

#include <algorithm>

#include "converter/perf/records/wire.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

// Callchains of fewer frames are too short to tell how they were made.
constexpr uint16_t kFewFrames = 8;

}  // namespace

void Session::GatherFacts() {
  facts_.arch = features_.machine();
  facts_.command_line = features_.command_line;
  facts_.first_time = summary_.first_time;
  facts_.last_time = summary_.last_time;
  facts_.unwound_stacks = user_stacks_->stacks();
  facts_.cut_stacks = user_stacks_->cut_stacks();
  facts_.has_hardware_trace = counts_[kRecordAuxtrace].records > 0;
  bool any_callchain = false, others = CutsStacks();
  bool any_program = false, any_stack = false;
  for (const RecordedEvent& event : attrs_.events()) {
    const EventAttr& attr = event.attr;
    facts_.events.push_back({attr.exclude_user(),
                             attr.exclude_kernel(),
                             attr.freq(),
                             attr.sample_period,
                             {}});
    facts_.has_branches |= (attr.sample_type & kSampleBranchStack) != 0;
    any_program |=
        attr.type != kTypeTracepoint &&
        !(attr.type == kTypeSoftware && attr.config == kSoftwareDummy);
    any_stack |= (attr.sample_type & (kSampleCallchain | kSampleStackUser |
                                      kSampleBranchStack)) != 0;
    if ((attr.sample_type & kSampleStackUser) != 0) {
      facts_.dump_size = std::max(facts_.dump_size, attr.sample_stack_user);
      others = true;
    }
    if ((attr.sample_type & kSampleCallchain) == 0) continue;
    any_callchain = true;
    others |=
        attr.exclude_callchain_user() || attr.defer_callchain() ||
        (attr.branch_sample_type & kBranchCallStack) != 0 ||
        (attr.sample_max_stack != 0 && attr.sample_max_stack < kFewFrames);
  }
  facts_.follows_frame_pointers = any_callchain && !others;
  facts_.lacks_call_graphs = any_program && !any_stack;
  const std::vector<CountingTimes::Times> counted = counting_times_.ByEvent();
  for (size_t i = 0; i < std::min(counted.size(), facts_.events.size()); ++i) {
    facts_.events[i].counted = counted[i];
  }
  facts_.stacks.Collect(tables_);
}

}  // namespace perf2x
