// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/emit/call_path.h"
#include "converter/emit/emitters.h"

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
        paths_(context.tables),
        budget_(context.budget),
        diagnostics_(context.diagnostics) {}

  absl::Status Begin(const TraceInfo&) override {
    ASSIGN_OR_RETURN(output_, outputs_.Open(""));
    return absl::OkStatus();
  }

  absl::Status OnSample(const Sample& sample) override {
    const StringId name = tables_.threads[sample.thread].name;
    const Event& event = tables_.events[sample.event];
    const bool is_time = event.derived || event.kind == EventKind::kOffCpu;
    if (sample.event >= counts_.size()) {
      counts_.resize(sample.event + 1);
      samples_.resize(sample.event + 1);
    }
    uint64_t& count = counts_[sample.event][{name, sample.stack}];
    count = SaturatingAdd(count, is_time ? sample.period : sample.count);
    samples_[sample.event] += sample.count;
    return absl::OkStatus();
  }

  absl::Status Finish(const TraceSummary&) override {
    // Stacks of other processes or addresses may have the same names.
    std::map<std::string, uint64_t> lines;
    Budget::Share memory(budget_);
    uint64_t skipped = 0;
    if (const EventId event = Choose(); event != kNoId) {
      std::string line;
      for (const auto& [key, count] : counts_[event]) {
        if (budget_.exhausted()) {
          ++skipped;
          continue;
        }
        std::string scratch;
        line = absl::StrReplaceAll(
            AsPlainText(tables_.strings[key.first], &scratch), {{";", ":"}});
        line.push_back(';');
        paths_.AppendFolded(paths_.PathOf(key.second), &line);
        budget_.Spend(Budget::kWork, line.size() / kLetters);
        const auto [it, inserted] = lines.try_emplace(line);
        if (inserted) memory.Set(memory.held() + kLineOverhead + line.size());
        it->second += count;
      }
    }
    paths_.Report(diagnostics_);
    CountSkippedForBudget("stack", budget_.exhausted_name(), skipped,
                          diagnostics_);
    for (const auto& [line, count] : lines) {
      RETURN_IF_ERROR(output_->Write(absl::StrCat(line, " ", count, "\n")));
    }
    return output_->Close();
  }

 private:
  // Bytes of memory of a line besides its text, and characters that cost one
  // unit of work.
  static constexpr uint64_t kLineOverhead = 96, kLetters = 8;

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
    uint64_t samples = 0;
    std::vector<std::string> others;
    for (EventId e = 0; e < samples_.size(); ++e) {
      // Derived events are parts of the first one.
      if (samples_[e] == 0 || e == chosen || events[e].derived) continue;
      samples += samples_[e];
      others.push_back(events[e].name);
    }
    if (others.empty() || diagnostics_ == nullptr) return chosen;
    const size_t more = others.size() - std::min(others.size(), kFewEvents);
    others.resize(others.size() - more);
    diagnostics_->Add(
        Diagnostics::Severity::kNote,
        absl::StrCat("folded stacks are of one event, here ",
                     events[chosen].name,
                     "; --event chooses another: ", absl::StrJoin(others, ", "),
                     more > 0 ? absl::StrCat(" or ", more, " more") : ""),
        0, 0, samples);
    return chosen;
  }

  TraceTables& tables_;
  OutputFactory& outputs_;
  CallPaths paths_;
  std::unique_ptr<Output> output_;
  // Counts by event, thread name and stack.
  std::vector<std::map<std::pair<StringId, StackId>, uint64_t>> counts_;
  std::vector<uint64_t> samples_;  // by event
  Budget& budget_;
  Diagnostics* const diagnostics_;
};

absl::StatusOr<std::unique_ptr<Emitter>> MakeFolded(
    const EmitterContext& context) {
  return std::make_unique<FoldedEmitter>(context);
}

}  // namespace

EmitterInfo FoldedEmitterInfo() {
  return {.name = "folded",
          .extension = ".folded",
          .summary = "folded stacks, for flamegraph.pl and inferno",
          .is_text = true,
          .make = MakeFolded,
          .check_merge = [](const auto&) { return absl::OkStatus(); },
          .advice =
              "drop it on https://www.speedscope.app, or make a picture "
              "of it with flamegraph.pl"};
}

}  // namespace perf2x
