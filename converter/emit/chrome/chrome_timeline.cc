// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_timeline.h"

#include <utility>

namespace perf2x {

void ChromeTimeline::Apply(const Step& step, absl::Span<const EntryId> stack) {
  switch (step.kind) {
    case Step::kSlices:
      slices_.Sample(step.track, stack, step.time, step.span, step.category);
      break;
    case Step::kProfile:
      profile_.Sample(step.track, stack, step.time, step.span);
      break;
    case Step::kOffCpu:
      slices_.OffCpu(step.track, stack, step.time - step.span, step.time,
                     step.category);
      break;
    case Step::kCall:
      calls_.Change(step.track, step.span, stack, step.time);
      break;
    case Step::kStop:
      slices_.Stop(step.track, step.time);
      profile_.Stop(step.track, step.time);
      break;
  }
}

void ChromeTimeline::Flush() {
  loaded_.clear();
  for (const Step& step : waiting_) {
    if (step.stack != kNoId) loaded_.push_back(step.stack);
  }
  stacks_.Load(loaded_);
  size_t next = 0;  // of loaded_
  for (const Step& step : waiting_) {
    absl::Span<const EntryId> stack;
    if (step.stack != kNoId) {
      const size_t at = next++;
      if (not_shown_.CountIfExhausted()) continue;
      stack = stacks_.Loaded(at);
    }
    Apply(step, stack);
    functions_ += stack.size();
    if (functions_ >= kChargeAt) Charge();
  }
  Charge();
  waiting_.clear();
  words_.Clear();
}

void ChromeTimeline::Charge() {
  budget_.Spend(Budget::kWork, std::exchange(functions_, 0));
  memory_.Set(slices_.memory() + profile_.memory() + calls_.memory());
}

void ChromeTimeline::Finish(uint64_t time) {
  Flush();
  slices_.StopAll(time, not_ended_);
  profile_.Finish(time);
  calls_.StopAll(time, not_ended_);
  not_shown_.Report();
  not_ended_.Report();
}

}  // namespace perf2x
