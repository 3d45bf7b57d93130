// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_TIMELINE_H_
#define PERF2X_EMIT_CHROME_CHROME_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/emit/chrome/chrome_calls.h"
#include "converter/emit/chrome/chrome_profile.h"
#include "converter/emit/chrome/chrome_slices.h"
#include "converter/emit/chrome/chrome_stacks.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/emit/waiting_words.h"

namespace perf2x {

// Shows samples on the threads' rows, as slices or as profiles, and calls on
// rows of their own. Buffers some thousand events and symbolizes their stacks
// together, for speed. Charges the memory of slices and profiles to the budget,
// and a step of work for each function of a sample. While the budget is
// exhausted, skips samples instead of writing them, and counts them. Not
// thread-safe.
class ChromeTimeline {
 public:
  // All arguments must outlive this; `diagnostics` may be null.
  ChromeTimeline(TraceTables& tables, ChromeStacks& stacks,
                 ChromeTracks& tracks, ChromeTrace& trace, Budget& budget,
                 Diagnostics* diagnostics)
      : stacks_(stacks),
        budget_(budget),
        memory_(budget),
        not_shown_("sample on a row", budget, diagnostics),
        not_ended_("last slice of a row", budget, diagnostics),
        slices_(stacks, tracks, trace),
        profile_(stacks, tracks, trace),
        calls_(stacks, tracks, trace),
        words_(tables.stacks) {}

  // Buffer calls of ChromeSlices::Sample, ChromeProfile::Sample and
  // ChromeSlices::OffCpu. Arguments are the same, but a stack is given by its
  // id. `category` must outlive this.
  void SliceSample(TrackId track, StackId stack, uint64_t time,
                   uint64_t interval, absl::string_view category) {
    Add({Step::kSlices, track, stack, time, interval, category});
  }
  void ProfileSample(TrackId track, StackId stack, uint64_t time,
                     uint64_t interval) {
    Add({Step::kProfile, track, stack, time, interval, ""});
  }
  void OffCpu(TrackId track, StackId stack, uint64_t begin, uint64_t end,
              absl::string_view category) {
    Add({Step::kOffCpu, track, stack, end, end - begin, category});
  }
  // Buffers a call of ChromeCalls::Change. `function` may be kNoId.
  void CallChange(TrackId track, size_t depth, StackId function,
                  uint64_t time) {
    Add({Step::kCall, track, function, time, depth, ""});
  }
  // Buffers calls of ChromeSlices::Stop and ChromeProfile::Stop.
  void Stop(TrackId track, uint64_t time) {
    Add({Step::kStop, track, kNoId, time, 0, ""});
  }
  // Writes the buffered calls, ends all slices and profiles at `time`, and adds
  // what was skipped to the diagnostics. To be called once, last.
  void Finish(uint64_t time);

 private:
  static constexpr size_t kMaxWaiting = 8192;
  // Limit of the words in the waiting steps' callchains: bounds the memory for
  // symbolizing long ones, and the work that waits.
  static constexpr size_t kMaxWords = 1 << 20;
  static constexpr size_t kChargeAt = 1 << 16;  // functions

  struct Step {
    enum Kind { kSlices, kProfile, kOffCpu, kCall, kStop } kind;
    TrackId track;
    StackId stack;
    uint64_t time;
    uint64_t span;  // ns: the interval, or the off-CPU time; kCall: the depth
    absl::string_view category;
  };
  void Add(const Step& step) {
    waiting_.push_back(step);
    if (step.stack != kNoId) words_.Add(step.stack);
    if (waiting_.size() == kMaxWaiting || words_.words() > kMaxWords) Flush();
  }
  void Flush();
  void Apply(const Step& step, absl::Span<const EntryId> stack);
  void Charge();

  ChromeStacks& stacks_;
  Budget& budget_;
  Budget::Share memory_;  // of slices_, profile_ and calls_
  SkipCounter not_shown_, not_ended_;
  size_t functions_ = 0;  // of samples since the last Charge
  ChromeSlices slices_;
  ChromeProfile profile_;
  ChromeCalls calls_;
  std::vector<Step> waiting_;
  WaitingWords words_;           // of the stacks in waiting_
  std::vector<StackId> loaded_;  // of waiting_
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_TIMELINE_H_
