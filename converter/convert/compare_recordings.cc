// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/compare_recordings.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/status_macros.h"
#include "converter/compare/comparison_sums.h"
#include "converter/compare/every_build_symbolizer.h"
#include "converter/convert/merge.h"
#include "converter/model/event_names.h"

namespace perf2x {
namespace {

// Passes samples to ComparisonSums.
class SumsEmitter final : public Emitter {
 public:
  explicit SumsEmitter(ComparisonSums& sums) : sums_(sums) {}
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    sums_.Add(sample);
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }

 private:
  ComparisonSums& sums_;
};

// Passes the samples of one event, which has the distinct name `event`, to
// another emitter, without their times: those of two recordings have nothing to
// do with each other.
class OneEvent final : public Emitter {
 public:
  OneEvent(TraceTables& tables, Emitter& to, std::string event)
      : names_(tables.events), to_(to), event_(std::move(event)) {}

  // Samples become those of event `as`, if any.
  void SetSide(std::optional<EventId> as) { as_ = as; }
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    if (names_[sample.event] != event_) return absl::OkStatus();
    Sample one = sample;
    one.time.reset();
    if (as_.has_value()) one.event = *as_;
    return to_.OnSample(one);
  }
  absl::Status OnThread(ThreadId id, std::optional<uint64_t>) override {
    return to_.OnThread(id, std::nullopt);
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }

 private:
  EventNames names_;
  Emitter& to_;
  const std::string event_;
  std::optional<EventId> as_;
};

// All recordings, the base's first.
std::vector<InputIdentity> AllOf(const ComparedInputs& inputs) {
  std::vector<InputIdentity> all = inputs.base;
  all.insert(all.end(), inputs.now.begin(), inputs.now.end());
  return all;
}

double NanosecondsOf(const TraceSummary& summary) {
  return summary.first_time && summary.last_time
             ? static_cast<double>(*summary.last_time - *summary.first_time)
             : 0;
}

// The event that the user named, else the one that says most about time.
absl::StatusOr<EventId> ChooseEvent(const std::vector<Event>& events,
                                    const std::string& name,
                                    const ComparisonSums& sums) {
  EventId best = kNoId;
  const std::vector<std::string> names = DistinctEventNames(events);
  std::vector<std::string> sampled;
  const auto rank = [&events](EventId id) {
    return std::pair(!events[id].derived, !SamplesCode(events[id].kind));
  };
  for (EventId id = 0; id < events.size(); ++id) {
    bool has_samples = false;
    for (const uint64_t count : sums.SamplesOf(id)) has_samples |= count > 0;
    if (!has_samples) continue;
    sampled.push_back(names[id]);
    if (!name.empty() ? names[id] == name
                      : best == kNoId || rank(id) < rank(best)) {
      best = id;
    }
  }
  if (best != kNoId) return best;
  if (sampled.empty()) {
    return absl::InvalidArgumentError(
        "the recordings have no samples to compare");
  }
  return absl::InvalidArgumentError(absl::StrCat("no recording has samples of ",
                                                 name, "; there are ",
                                                 absl::StrJoin(sampled, ", ")));
}

absl::Status SetDivisors(const std::string& normalize,
                         const std::vector<Event>& events,
                         const ComparisonSums& sums,
                         const std::vector<double>& durations,
                         ComparedRuns* runs) {
  runs->divisors.assign(runs->sums.size(), 1);
  if (normalize == "none") {
    runs->normalization = Normalization::kNone;
  } else if (normalize == "share") {
    runs->divisors = runs->sums;
  } else if (normalize == "wall") {
    runs->normalization = Normalization::kWall;
    for (size_t i = 0; i < durations.size(); ++i) {
      runs->divisors[i] = durations[i] / 1e9;
    }
  } else {
    runs->normalization = Normalization::kEvent;
    runs->normalized_by = normalize;
    ASSIGN_OR_RETURN(const EventId event, ChooseEvent(events, normalize, sums));
    const std::vector<uint64_t> by = sums.SumsOf(event);
    runs->divisors.assign(by.begin(), by.end());
  }
  for (size_t i = 0; i < runs->divisors.size(); ++i) {
    if (runs->divisors[i] > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        runs->names[i], " has nothing to be normalized by: ", normalize,
        " is 0; --normalize none compares values as they are"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ComparedRuns> DescribeRuns(
    const ComparedInputs& inputs, const CompareOptions& options,
    const std::vector<Event>& events, EventId event, const ComparisonSums& sums,
    const std::vector<double>& durations) {
  ComparedRuns runs;
  runs.base = inputs.base.size();
  for (const InputIdentity& input : AllOf(inputs)) {
    runs.names.push_back(input.path);
  }
  runs.event = DistinctEventNames(events)[event];
  runs.unit = events[event].unit;
  const std::vector<uint64_t> of_event = sums.SumsOf(event);
  runs.sums.assign(of_event.begin(), of_event.end());
  double samples = 0, sum = 0;
  for (const uint64_t count : sums.SamplesOf(event)) {
    samples += static_cast<double>(count);
  }
  for (const double one : runs.sums) sum += one;
  if (samples > 0) runs.resolution = sum / samples;
  runs.in_blocks = inputs.base.size() == 1 && inputs.now.size() == 1;
  for (size_t i = 0; i < runs.names.size(); ++i) {
    runs.blocks.push_back(sums.BlocksOf(i));
  }
  RETURN_IF_ERROR(
      SetDivisors(options.normalize, events, sums, durations, &runs));
  return runs;
}

// Reads all recordings of one side, as far as `emitter` wants them.
absl::Status ReadSide(const std::vector<InputIdentity>& inputs,
                      RecordingMerge& merge, Emitter& emitter,
                      TraceSummary* summary) {
  for (const InputIdentity& input : inputs) {
    ConvertReport unused;
    TraceSummary of_one;
    RETURN_IF_ERROR(merge.Read(input, emitter, false, &of_one, &unused));
    AddToSummary(input.path, of_one, summary);
  }
  return absl::OkStatus();
}

EventId AddSide(const Event& from, const char* name, EventId minus,
                size_t recordings, TraceTables& tables) {
  Event event = from;
  event.name = name;
  event.derived = true;
  event.minus = minus;
  event.mean_of = recordings;
  tables.events.push_back(std::move(event));
  return static_cast<EventId>(tables.events.size() - 1);
}

absl::Status WriteSides(const ComparedInputs& inputs,
                        const ConvertOptions& options, const std::string& name,
                        const EmitterInfo& format, OutputFactory& outputs,
                        Diagnostics* skipped) {
  Pipeline pipeline(options.threads);
  Budget budget;
  RecordingMerge merge(options, budget, pipeline);
  TraceTables& tables = merge.trace().tables();
  ASSIGN_OR_RETURN(const TraceInfo info, merge.ReadCommonInfo(AllOf(inputs)));
  EveryBuildSymbolizer symbolizer(merge.trace());
  tables.set_symbolizer(&symbolizer);
  auto emitter_options = WithDefaults(format, options.emitter_options);
  // Labels such as pids would keep the sides' samples apart.
  if (!options.emitter_options.contains("labels")) {
    emitter_options["labels"] = "none";
  }
  MeteredOutputs metered(outputs, budget, *pipeline.helpers());
  ASSIGN_OR_RETURN(const std::unique_ptr<Emitter> emitter,
                   format.make({tables, metered, emitter_options, pipeline,
                                skipped, budget}));
  RETURN_IF_ERROR(emitter->Begin(info));
  OneEvent one_event(tables, *emitter, name);
  Event like;  // as what the stages add
  like.unit = "nanoseconds";
  const std::vector<std::string> names = DistinctEventNames(tables.events);
  const auto known = std::find(names.begin(), names.end(), name);
  if (known != names.end()) {
    like = tables.events[static_cast<size_t>(known - names.begin())];
  }
  const EventId base = AddSide(like, "base", kNoId, inputs.base.size(), tables);
  const EventId now = AddSide(like, "new", base, inputs.now.size(), tables);
  TraceSummary summary;
  one_event.SetSide(base);
  RETURN_IF_ERROR(ReadSide(inputs.base, merge, one_event, &summary));
  one_event.SetSide(now);
  RETURN_IF_ERROR(ReadSide(inputs.now, merge, one_event, &summary));
  budget.ReleaseReserve();
  return emitter->Finish(summary);
}

// Reads the base and keeps it in `*base` or, if `*base` is set, reads the new
// side and writes it with that base.
absl::Status ConvertSide(const ComparedInputs& inputs,
                         const ConvertOptions& options, const std::string& name,
                         const EmitterInfo& format, OutputFactory& outputs,
                         std::shared_ptr<ComparisonBase>* base,
                         Diagnostics* skipped) {
  const bool is_base = *base == nullptr;
  const std::vector<InputIdentity>& side = is_base ? inputs.base : inputs.now;
  Pipeline pipeline(options.threads);
  Budget budget;
  RecordingMerge merge(options, budget, pipeline);
  TraceTables& tables = merge.trace().tables();
  if (!is_base) RETURN_IF_ERROR(merge.AddEventsOf(inputs.base));
  ASSIGN_OR_RETURN(const TraceInfo info, merge.ReadCommonInfo(side));
  EveryBuildSymbolizer symbolizer(merge.trace());
  tables.set_symbolizer(&symbolizer);
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  MeteredOutputs metered(outputs, budget, *pipeline.helpers());
  const EmitterContext context = {
      tables, metered, emitter_options, pipeline, skipped, budget, *base};
  ASSIGN_OR_RETURN(
      const std::unique_ptr<Emitter> emitter,
      is_base ? format.make_base(context, base) : format.make(context));
  RETURN_IF_ERROR(emitter->Begin(info));
  OneEvent one_event(tables, *emitter, name);
  TraceSummary summary;
  RETURN_IF_ERROR(ReadSide(side, merge, one_event, &summary));
  budget.ReleaseReserve();
  RETURN_IF_ERROR(emitter->Finish(summary));
  return emitter->OnAdvice({});
}

}  // namespace

absl::StatusOr<Comparison> CompareRecordings(
    const ComparedInputs& inputs, const CompareOptions& options,
    std::vector<ConvertReport>* reports) {
  const std::vector<InputIdentity> all = AllOf(inputs);
  Pipeline pipeline(options.convert.threads);
  Budget budget;
  RecordingMerge merge(options.convert, budget, pipeline);
  TraceTables& tables = merge.trace().tables();
  RETURN_IF_ERROR(merge.ReadCommonInfo(all).status());
  EveryBuildSymbolizer symbolizer(merge.trace());
  tables.set_symbolizer(&symbolizer);
  const bool in_blocks = inputs.base.size() == 1 && inputs.now.size() == 1;
  Diagnostics skipped;
  ComparisonSums sums(tables, all.size(), in_blocks, budget, &skipped);
  SumsEmitter emitter(sums);
  std::vector<double> durations;
  for (size_t i = 0; i < all.size(); ++i) {
    sums.BeginRecording(i);
    TraceSummary summary;
    RETURN_IF_ERROR(
        merge.Read(all[i], emitter, false, &summary, &reports->emplace_back()));
    durations.push_back(NanosecondsOf(summary));
  }
  RETURN_IF_ERROR(merge.CheckFilter());
  budget.ReleaseReserve();
  const auto compare = [&]() -> absl::StatusOr<Comparison> {
    ASSIGN_OR_RETURN(const EventId event,
                     ChooseEvent(tables.events, options.event, sums));
    ASSIGN_OR_RETURN(
        ComparedRuns runs,
        DescribeRuns(inputs, options, tables.events, event, sums, durations));
    return Compare(std::move(runs), sums.ByFunction(event, pipeline.workers()));
  };
  absl::StatusOr<Comparison> comparison = compare();
  // What the reports say may be why there is no comparison.
  reports->back().diagnostics.Merge(skipped);
  merge.CompleteReports(reports);
  return comparison;
}

absl::Status CheckShowsDifference(const EmitterInfo& format) {
  if (format.make_base != nullptr || std::string(format.name) == "pprof") {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      format.name, " cannot show a difference; pprof and html can"));
}

absl::Status WriteDifference(const ComparedInputs& inputs,
                             const ConvertOptions& options,
                             const std::string& event,
                             const EmitterInfo& format, OutputFactory& outputs,
                             Diagnostics* skipped) {
  if (format.make_base == nullptr) {
    return WriteSides(inputs, options, event, format, outputs, skipped);
  }
  std::shared_ptr<ComparisonBase> base;
  Diagnostics of_base;
  RETURN_IF_ERROR(
      ConvertSide(inputs, options, event, format, outputs, &base, &of_base));
  AddBaseDiagnostics(of_base, skipped);
  return ConvertSide(inputs, options, event, format, outputs, &base, skipped);
}

}  // namespace perf2x
