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
  for (const Step& step : waiting_) {
    if (step.stack == kNoId) continue;
    const auto index = static_cast<uint32_t>(distinct_.size());
    if (index_of_.try_emplace(step.stack, index).second) {
      distinct_.push_back(step.stack);
    }
  }
  stacks_.Load(distinct_);
  for (const Step& step : waiting_) {
    absl::Span<const EntryId> stack;
    if (step.stack != kNoId) {
      if (not_shown_.CountIfExhausted()) continue;
      stack = stacks_.Loaded(index_of_[step.stack]);
    }
    Apply(step, stack);
    functions_ += stack.size();
    if (functions_ >= kChargeAt) Charge();
  }
  Charge();
  waiting_.clear();
  words_ = 0;
  distinct_.clear();
  index_of_.clear();
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
