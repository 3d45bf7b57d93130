// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/emit/emitters.h"
#include "converter/emit/event_names.h"
#include "converter/emit/folded_lines.h"
#include "converter/emit/sample_rows.h"
#include "converter/emit/used_stacks.h"

namespace perf2x {
namespace {

// Maximum number of events listed in a message.
constexpr size_t kFewEvents = 4;

// Writes folded stacks for flamegraph.pl: a line for each distinct stack,
// "thread;outermost;…;innermost count". Counts of several events make no sense
// in one flame graph, so only one event is written: the first with samples, in
// the order of the user's list if there is one, but a derived one before all
// others. Counts are samples or, for off-CPU time and derived events, periods.
class FoldedEmitter final : public Emitter {
 public:
  explicit FoldedEmitter(const EmitterContext& context)
      : tables_(context.tables),
        outputs_(context.outputs),
        pipeline_(context.pipeline),
        budget_(context.budget),
        diagnostics_(context.diagnostics),
        rows_(pipeline_) {}

  absl::Status Begin(const TraceInfo&) override {
    ASSIGN_OR_RETURN(output_, outputs_.Open(""));
    return absl::OkStatus();
  }

  absl::Status OnSample(const Sample& sample) override {
    if (sample.event >= SampleRows::kMaxEvents) {
      return absl::UnimplementedError(
          "more than a million events to folded stacks");
    }
    if (sample.event >= samples_.size()) samples_.resize(sample.event + 1);
    uint64_t& samples = samples_[sample.event];
    samples = SaturatingAdd(samples, sample.count);
    const StringId name = tables_.threads[sample.thread].name;
    const Event& event = tables_.events[sample.event];
    const bool is_time = event.derived || event.kind == EventKind::kOffCpu;
    rows_.Add({sample.stack, name, sample.event}, sample.address_space,
              is_time ? sample.period : sample.count);
    return absl::OkStatus();
  }

  absl::Status Finish(const TraceSummary&) override {
    rows_.Finish();
    if (const EventId event = Choose(); event != kNoId) {
      RETURN_IF_ERROR(WriteLines(event));
    }
    return output_->Close();
  }

 private:
  // Calls visit(stack, row) for each row of an event.
  template <class Visit>
  void ForEachRow(EventId event, Visit visit) {
    for (StackId stack = 0; stack < rows_.stacks(); ++stack) {
      for (uint32_t i = rows_.first(stack); i != kNoId; i = rows_[i].next) {
        if (rows_[i].event == event) visit(stack, rows_[i]);
      }
    }
  }

  absl::Status WriteLines(EventId event) {
    std::optional<UsedStacks> stacks(std::in_place, tables_, budget_,
                                     diagnostics_);
    ForEachRow(event, [&](StackId stack, const SampleRows::Row&) {
      stacks->Use(stack);
    });
    stacks->Finish(pipeline_);
    FoldedLines lines(tables_, *stacks, budget_, diagnostics_);
    ForEachRow(event, [&](StackId stack, const SampleRows::Row& row) {
      const StackTree::NodeId leaf = stacks->NodeOf(stack);
      if (leaf != kNoId) lines.Add(row.labels, leaf, row.value);
    });
    rows_.Clear();
    stacks.reset();  // the lines need the memory
    return lines.Write(pipeline_.workers(), *output_);
  }

  // Returns the event to write, or kNoId if none has samples; names the other
  // events in a diagnostic.
  EventId Choose() const {
    EventId chosen = kNoId;
    const auto& events = tables_.events;
    const auto rank = [&events](EventId e) {
      return std::pair(!events[e].derived, events[e].selection_rank);
    };
    for (EventId e = 0; e < samples_.size(); ++e) {
      if (samples_[e] > 0 && (chosen == kNoId || rank(e) < rank(chosen))) {
        chosen = e;
      }
    }
    EventNames names(events);
    uint64_t samples = 0;
    std::vector<std::string> others;
    for (EventId e = 0; e < samples_.size(); ++e) {
      // Derived events are parts of the first one.
      if (samples_[e] == 0 || e == chosen || events[e].derived) continue;
      samples = SaturatingAdd(samples, samples_[e]);
      others.push_back(names[e]);
    }
    if (others.empty() || diagnostics_ == nullptr) return chosen;
    const size_t more = others.size() - std::min(others.size(), kFewEvents);
    others.resize(others.size() - more);
    diagnostics_->Add(
        Diagnostics::Severity::kNote,
        absl::StrCat("folded stacks are of one event, here ", names[chosen],
                     "; --event chooses another: ", absl::StrJoin(others, ", "),
                     more > 0 ? absl::StrCat(" or ", more, " more") : ""),
        0, 0, samples);
    return chosen;
  }

  TraceTables& tables_;
  OutputFactory& outputs_;
  Pipeline& pipeline_;
  std::unique_ptr<Output> output_;
  std::vector<uint64_t> samples_;  // by event
  Budget& budget_;
  Diagnostics* const diagnostics_;
  // Labels are the names of threads, values are counts of lines.
  SampleRows rows_;
};

}  // namespace

EmitterInfo FoldedEmitterInfo() {
  return {.name = "folded",
          .extension = ".folded",
          .summary = "folded stacks, for flamegraph.pl and inferno",
          .is_text = true,
          .make = MakeEmitter<FoldedEmitter>,
          .check_merge = [](const auto&) { return absl::OkStatus(); },
          .advice =
              "drop it on https://www.speedscope.app, or make a picture "
              "of it with flamegraph.pl"};
}

}  // namespace perf2x
