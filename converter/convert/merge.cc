// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/merge.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/gzip_output.h"
#include "converter/base/status_macros.h"
#include "converter/convert/convert_branch_list.h"
#include "converter/convert/input_kind.h"
#include "converter/convert/merge_profiles.h"
#include "converter/stages/merged_trace.h"

namespace perf2x {
namespace {

// Keeps the TraceInfo of a recording and then cancels the conversion.
class Head final : public Emitter {
 public:
  absl::Status Begin(const TraceInfo& info) override {
    info_ = info;
    return absl::CancelledError();
  }
  absl::Status OnSample(const Sample&) override { return absl::OkStatus(); }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }
  const std::optional<TraceInfo>& info() const { return info_; }

 private:
  std::optional<TraceInfo> info_;
};

absl::StatusOr<std::unique_ptr<Conversion>> OpenConversion(
    const InputIdentity& found, const ConvertOptions& options,
    Pipeline& pipeline) {
  ASSIGN_OR_RETURN(Input input, OpenInput(found));
  return Conversion::Open(std::move(input), options, pipeline);
}

absl::StatusOr<TraceInfo> ReadTraceInfo(const InputIdentity& input,
                                        const ConvertOptions& options,
                                        Pipeline& pipeline, MergedTrace* all) {
  ConvertOptions quiet = options;
  quiet.progress = nullptr;
  ASSIGN_OR_RETURN(const std::unique_ptr<Conversion> conversion,
                   OpenConversion(input, quiet, pipeline));
  Head head;
  ConvertReport unused;
  const absl::Status status = conversion->Run(head, &unused);
  if (!head.info().has_value()) return status;
  all->AddEvents(conversion->tables().events);
  return *head.info();
}

// Clears the facts in `*info` that differ in `other`, and joins the names of
// the inputs.
void Intersect(const TraceInfo& other, TraceInfo* info) {
  absl::StrAppend(&info->input, ", ", other.input);
  for (std::string TraceInfo::*field :
       {&TraceInfo::hostname, &TraceInfo::os_release, &TraceInfo::arch,
        &TraceInfo::perf_version, &TraceInfo::cpu_description}) {
    if (info->*field != other.*field) (info->*field).clear();
  }
  if (info->command_line != other.command_line) info->command_line.clear();
}

uint64_t DurationOf(const TraceSummary& summary) {
  return summary.first_time && summary.last_time
             ? *summary.last_time - *summary.first_time
             : 0;
}

}  // namespace

absl::Status WithInputName(const std::string& input,
                           const absl::Status& status) {
  if (status.ok() || absl::StrContains(status.message(), input)) return status;
  return absl::Status(status.code(),
                      absl::StrCat(input, ": ", status.message()));
}

RecordingMerge::RecordingMerge(const ConvertOptions& options, Budget& budget,
                               Pipeline& pipeline)
    : options_(options), pipeline_(pipeline) {
  // A value that one recording lacks may occur in another one.
  options_.filter.allow_unmatched = true;
  options_.budget = &budget;
  ShareKallsymsTables(&options_);
}

absl::StatusOr<TraceInfo> RecordingMerge::ReadHead(const InputIdentity& input) {
  ConvertOptions alone = options_;
  alone.budget = nullptr;
  auto head = ReadTraceInfo(input, alone, pipeline_, &trace_);
  if (!head.ok()) return WithInputName(input.path, head.status());
  return head;
}

absl::Status RecordingMerge::AddEventsOf(
    const std::vector<InputIdentity>& inputs) {
  for (const InputIdentity& input : inputs) {
    RETURN_IF_ERROR(ReadHead(input).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<TraceInfo> RecordingMerge::ReadCommonInfo(
    const std::vector<InputIdentity>& inputs) {
  std::optional<TraceInfo> info;
  for (const InputIdentity& input : inputs) {
    ASSIGN_OR_RETURN(TraceInfo head, ReadHead(input));
    info.has_value() ? Intersect(head, &*info) : void(info = std::move(head));
  }
  return *std::move(info);
}

absl::Status RecordingMerge::Read(const InputIdentity& input, Emitter& emitter,
                                  bool has_time_line, TraceSummary* summary,
                                  ConvertReport* report) {
  auto conversion = OpenConversion(input, options_, pipeline_);
  if (!conversion.ok()) return WithInputName(input.path, conversion.status());
  const auto source =
      trace_.EmitterFor((*conversion)->tables(), emitter, summary);
  (*conversion)->set_has_time_line(has_time_line);
  const bool is_profile = (*conversion)->is_profile();
  trace_.SetSymbolizer(
      [&]() -> Symbolizer* {
        return is_profile ? (*conversion)->profile_symbols()
                          : (*conversion)->symbolizer();
      },
      /*shares_symbols=*/!is_profile);
  const absl::Status status = (*conversion)->Run(*source, report);
  if (!status.ok()) return WithInputName(input.path, status);
  for (const std::string& word : (*conversion)->filter().Unmatched()) {
    ++unmatched_[word];
  }
  symbolizers_.push_back((*conversion)->TakeSymbolizer());
  Symbolizer* kept = symbolizers_.back().get();
  if (is_profile) {
    kept = (*conversion)->profile_symbols();
    profiles_.push_back(*std::move(conversion));
  }
  trace_.SetSymbolizer([kept] { return kept; }, !is_profile);
  return absl::OkStatus();
}

absl::Status RecordingMerge::CheckFilter() const {
  return CheckUnmatched(unmatched_, symbolizers_.size());
}

void RecordingMerge::CompleteReports(std::vector<ConvertReport>* reports) {
  MergedTrace::Reports symbols;
  for (const auto& symbolizer : symbolizers_) {
    symbols.emplace_back();
    if (symbolizer != nullptr) symbols.back() = symbolizer->Reports();
  }
  symbols = trace_.ReportsByRecording(symbols);
  for (size_t i = 0; i < symbolizers_.size(); ++i) {
    (*reports)[i].symbols = std::move(symbols[i]);
    CompleteReport(&(*reports)[i]);
  }
}

void AddToSummary(const std::string& input, const TraceSummary& other,
                  TraceSummary* all) {
  if (!all->first_time) {
    all->first_time = other.first_time;
    all->last_time = other.last_time;
  } else {
    all->last_time =
        all->last_time.value_or(*all->first_time) + DurationOf(other);
  }
  all->lost_records += other.lost_records;
  all->lost_samples += other.lost_samples;
  if (all->main_dso == kNoId) all->main_dso = other.main_dso;
  for (const auto& count : other.records) {
    const auto it = std::find_if(
        all->records.begin(), all->records.end(),
        [&](const auto& known) { return known.type == count.type; });
    if (it == all->records.end()) {
      all->records.push_back(count);
    } else {
      it->records += count.records;
      it->bytes += count.bytes;
    }
  }
  for (const std::string& loss : other.losses) {
    all->losses.push_back(absl::StrCat(input, ": ", loss));
  }
}

absl::Status CheckCanMerge(const EmitterInfo& format,
                           const std::map<std::string, std::string>& options) {
  if (format.is_about_one_dso) {
    return absl::InvalidArgumentError(absl::StrCat(
        format.name,
        " is written for one recording; convert each, and merge the profiles "
        "that LLVM's tools make of them: llvm-profdata merge -sample, or "
        "merge-fdata for BOLT"));
  }
  if (format.check_merge == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        format.name,
        " has no way to show several recordings in one; merge them to pprof, "
        "and convert that, if the format is made of profiles, too"));
  }
  return format.check_merge(options);
}

absl::Status CheckUnmatched(const std::map<std::string, size_t>& unmatched,
                            size_t inputs) {
  for (const auto& [word, times] : unmatched) {
    if (times == inputs) {
      return absl::InvalidArgumentError(
          absl::StrCat("nothing in any of the recordings is ", word));
    }
  }
  return absl::OkStatus();
}

namespace {

// Fails if an input is a branch list, or has one in place of samples.
absl::Status CheckIsNoBranchList(InputKind kind, Input* input) {
  Diagnostics ignored;
  std::optional<FileSection> list;
  if (kind == InputKind::kRecording) {
    ASSIGN_OR_RETURN(list, FindRecordedBranchList(input, &ignored));
  }
  if (kind != InputKind::kBranchList && !list.has_value()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      input->name,
      ": a branch list of simpleperf is not merged with other inputs; convert "
      "each alone and merge the profiles, as with llvm-profdata merge"));
}

// Returns true if a trace cannot be merged of the inputs, because one can be
// read only once or is a profile.
absl::StatusOr<bool> NeedsProfiles(const std::vector<InputIdentity>& inputs,
                                   const EmitterInfo& format) {
  for (const InputIdentity& found : inputs) {
    if (found.is_stdin() || found.HasType(S_IFIFO)) return true;
    auto input = OpenInput(found);
    if (!input.ok()) return WithInputName(found.path, input.status());
    const InputKind kind = KindOf(&*input);
    if (kind == InputKind::kProfile) return true;
    if (format.is_about_one_dso) {
      RETURN_IF_ERROR(CheckIsNoBranchList(kind, &*input));
    }
  }
  return false;
}

// Merges the inputs to a profile and writes that.
absl::Status MergeToProfile(const std::vector<InputIdentity>& inputs,
                            OutputFactory& outputs,
                            const ConvertOptions& options,
                            std::vector<ConvertReport>* reports) {
  Pipeline pipeline(options.threads);
  ASSIGN_OR_RETURN(std::unique_ptr<Output> file, outputs.Open(""));
  GzipOutput output(std::move(file), pipeline.helpers());
  uint64_t input_size = 0;
  RETURN_IF_ERROR(
      MergeProfiles(inputs, options, pipeline, output, &input_size, reports));
  return output.Close();
}

// Merges the inputs to a profile and converts that.
absl::Status MergeByProfile(const std::vector<InputIdentity>& inputs,
                            const EmitterInfo& format, OutputFactory& outputs,
                            const ConvertOptions& given,
                            std::vector<ConvertReport>* reports) {
  ConvertOptions options = given;
  options.emitter_options.clear();  // they are not those of pprof
  std::string bytes;
  uint64_t input_size = 0;
  {
    Pipeline pipeline(options.threads);
    const std::unique_ptr<Output> memory = MakeStringOutput(&bytes);
    RETURN_IF_ERROR(MergeProfiles(inputs, options, pipeline, *memory,
                                  &input_size, reports));
  }
  options.emitter_options = given.emitter_options;
  // Both have been done.
  options.filter = FilterOptions();
  options.symbolize = false;
  Input input = MemoryInput(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  // What the inputs may cause does not grow with what they were made into.
  input.size = std::make_shared<std::atomic<uint64_t>>(input_size);
  input.name = inputs.size() == 1 ? inputs[0].path
                                  : absl::StrCat(inputs.size(), " inputs");
  ConvertReport report;
  RETURN_IF_ERROR(Convert(std::move(input), format, outputs, options, &report));
  reports->back().diagnostics.Merge(report.diagnostics);
  return absl::OkStatus();
}

}  // namespace

absl::Status Merge(const std::vector<InputIdentity>& inputs,
                   const EmitterInfo& format, OutputFactory& outputs,
                   const ConvertOptions& options,
                   std::vector<ConvertReport>* reports) {
  if (format.is_profile) {
    return MergeToProfile(inputs, outputs, options, reports);
  }
  ASSIGN_OR_RETURN(const bool needs_profiles, NeedsProfiles(inputs, format));
  if (needs_profiles) {
    return MergeByProfile(inputs, format, outputs, options, reports);
  }
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  Pipeline pipeline(options.threads);
  // All inputs share one budget, as they share the output.
  Budget budget;
  RecordingMerge merge(options, budget, pipeline);
  ASSIGN_OR_RETURN(const TraceInfo info, merge.ReadCommonInfo(inputs));
  MeteredOutputs metered(outputs, budget, *pipeline.helpers());
  Diagnostics skipped;  // of the output; reported with the last recording
  ASSIGN_OR_RETURN(const std::unique_ptr<Emitter> emitter,
                   format.make({merge.trace().tables(), metered,
                                emitter_options, pipeline, &skipped, budget}));
  RETURN_IF_ERROR(emitter->Begin(info));
  TraceSummary summary;
  for (const InputIdentity& input : inputs) {
    TraceSummary of_one;
    RETURN_IF_ERROR(merge.Read(input, *emitter, format.has_time_line, &of_one,
                               &reports->emplace_back()));
    AddToSummary(input.path, of_one, &summary);
  }
  RETURN_IF_ERROR(merge.CheckFilter());
  budget.ReleaseReserve();
  RETURN_IF_ERROR(emitter->Finish(summary));
  if (!reports->empty()) reports->back().diagnostics.Merge(skipped);
  merge.CompleteReports(reports);
  return absl::OkStatus();
}

}  // namespace perf2x
