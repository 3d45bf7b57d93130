#include "converter/emit/chrome/chrome_timeline.h"

namespace perf2x {

void ChromeTimeline::Take(const Step& step, absl::Span<const EntryId> stack) {
  switch (step.what) {
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
    case Step::kStop:
      slices_.Stop(step.track, step.time);
      profile_.Stop(step.track, step.time);
      break;
  }
}

void ChromeTimeline::TakeAll() {
  for (const Step& step : waiting_) {
    if (step.stack == kNoId) continue;
    const auto place = static_cast<uint32_t>(distinct_.size());
    if (place_of_.try_emplace(step.stack, place).second) {
      distinct_.push_back(step.stack);
    }
  }
  stacks_.Load(distinct_);
  for (const Step& step : waiting_) {
    absl::Span<const EntryId> stack;
    if (step.stack != kNoId) stack = stacks_.Loaded(place_of_[step.stack]);
    Take(step, stack);
  }
  memory_.Set(slices_.memory() + profile_.memory());
  waiting_.clear();
  words_ = 0;
  distinct_.clear();
  place_of_.clear();
}

void ChromeTimeline::Finish(uint64_t time) {
  TakeAll();
  slices_.StopAll(time);
  profile_.Finish(time);
}

}  // namespace perf2x
