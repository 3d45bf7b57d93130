// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/convert.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/convert/conversion.h"
#include "converter/convert/convert_branch_list.h"
#include "converter/convert/convert_profile.h"
#include "converter/convert/input_kind.h"
#include "converter/convert/merge.h"
#include "converter/convert/missing_symbols.h"
#include "converter/convert/recording_id.h"
#include "converter/symbolize/kernel/kallsyms_cache.h"

namespace perf2x {
namespace {

// Completes the report on a conversion that ended with `status`, and passes the
// advice in it to the emitter.
absl::Status ConcludeWith(const absl::Status& status, Conversion& conversion,
                          Emitter& emitter, ConvertReport* report) {
  if (conversion.symbolizer() != nullptr) {
    report->symbols = conversion.symbolizer()->Reports();
  }
  CompleteReport(report);
  RETURN_IF_ERROR(status);
  std::vector<Advice> advice;
  for (const Finding& finding : report->findings) {
    advice.push_back({finding.message, finding.next_step});
  }
  return emitter.OnAdvice(advice);
}

// Fails if samples of time lack what the format needs.
absl::Status CheckWallClock(const ConvertOptions& options,
                            const EmitterRequirements& requirements) {
  if (!options.derived.wall_clock) return absl::OkStatus();
  if (requirements.branches) {
    return absl::InvalidArgumentError(
        "--wall-clock makes samples of time, which have no branches; leave it "
        "out for a profile of branches");
  }
  if (requirements.accesses) {
    return absl::InvalidArgumentError(
        "--wall-clock makes samples of time, which have no data addresses; "
        "leave it out for --table cachelines");
  }
  return absl::OkStatus();
}

// Returns what the format keeps of the recording to compare with. Adds its
// diagnostics to `*diagnostics`.
absl::StatusOr<std::shared_ptr<ComparisonBase>> ReadBase(
    const EmitterInfo& format, OutputFactory& outputs,
    const ConvertOptions& given, Pipeline& pipeline, Diagnostics* diagnostics) {
  ConvertOptions options = given;
  // What does not occur in it may occur in the other recording.
  options.filter.allow_unmatched = true;
  ASSIGN_OR_RETURN(Input input, OpenInput(*given.base));
  ASSIGN_OR_RETURN(const std::unique_ptr<Conversion> conversion,
                   Conversion::Open(std::move(input), options, pipeline));
  conversion->set_has_time_line(format.has_time_line);
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  ConvertReport report;
  std::shared_ptr<ComparisonBase> kept;
  ASSIGN_OR_RETURN(
      const std::unique_ptr<Emitter> emitter,
      format.make_base({conversion->tables(), outputs, emitter_options,
                        pipeline, &report.diagnostics, conversion->budget()},
                       &kept));
  RETURN_IF_ERROR(ConcludeWith(conversion->Run(*emitter, &report), *conversion,
                               *emitter, &report));
  AddBaseDiagnostics(report.diagnostics, diagnostics);
  return kept;
}

// For a format about one DSO, passes the file that --dso names to the emitter
// instead of the filter.
ConvertOptions WithSubject(const EmitterInfo& format,
                           const ConvertOptions& given) {
  ConvertOptions options = given;
  std::vector<std::string>& dsos = options.filter.list(FilterKey::kDso);
  if (format.is_about_one_dso && !dsos.empty()) {
    options.emitter_options["dso"] = dsos.front();
    dsos.clear();
  }
  return options;
}

}  // namespace

absl::Status Convert(Input input, const EmitterInfo& format,
                     OutputFactory& outputs, const ConvertOptions& given,
                     ConvertReport* report) {
  RETURN_IF_ERROR(CheckTogether(format, given));
  const ConvertOptions options = WithSubject(format, given);
  Pipeline pipeline(options.threads);
  const InputKind kind = KindOf(&input);
  std::optional<FileSection> list;
  if (format.is_about_one_dso && kind == InputKind::kRecording) {
    ASSIGN_OR_RETURN(list,
                     FindRecordedBranchList(&input, &report->diagnostics));
  }
  if (kind == InputKind::kBranchList || list.has_value()) {
    return ConvertBranchList(std::move(input), list, format, outputs, options,
                             pipeline, report);
  }
  if (kind == InputKind::kProfile) {
    RETURN_IF_ERROR(CheckShowsProfiles(format));
    if (format.is_profile) {
      return CopyProfile(std::move(input), outputs, options, pipeline, report);
    }
  }
  std::shared_ptr<ComparisonBase> base;
  if (options.base.has_value()) {
    auto read =
        ReadBase(format, outputs, options, pipeline, &report->diagnostics);
    if (!read.ok()) return WithInputName(options.base->path, read.status());
    base = *std::move(read);
  }
  ConvertOptions used = options;
  if (options.emitter_options.count(format.dataset_option) > 0) {
    ASSIGN_OR_RETURN(used.recording_id,
                     IdentifyRecording(&input, &report->diagnostics));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Conversion> conversion,
                   Conversion::Open(std::move(input), used, pipeline));
  conversion->set_has_time_line(format.has_time_line);
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  MeteredOutputs metered(outputs, conversion->budget(), *pipeline.helpers());
  ASSIGN_OR_RETURN(const std::unique_ptr<Emitter> emitter,
                   format.make({conversion->tables(), metered, emitter_options,
                                pipeline, &report->diagnostics,
                                conversion->budget(), std::move(base)}));
  RETURN_IF_ERROR(CheckWallClock(options, emitter->requirements()));
  report->shows_counters = emitter->requirements().counters;
  report->shows_branches = emitter->requirements().branch_stacks;
  report->shows_accesses = emitter->requirements().accesses;
  report->shows_callers = emitter->requirements().callers;
  return ConcludeWith(conversion->Run(*emitter, report), *conversion, *emitter,
                      report);
}

void CompleteReport(ConvertReport* report) {
  const StackSubset& stacks = report->facts.stacks;
  report->unsymbolized_samples = CountUnsymbolized(stacks, &report->symbols);
  // Of profiles, only unsymbolized frames were collected.
  if (!report->is_profile) report->stacks = StackCounts::FromStacks(stacks);
  report->findings = Diagnose(*report);
  // Saves memory: a merge keeps the reports of all inputs to the end.
  report->facts.stacks.Drop();
}

absl::StatusOr<std::unique_ptr<Output>> MeteredOutputs::Open(
    absl::string_view name) {
  return OpenFor(name, budget_);
}

absl::StatusOr<std::unique_ptr<Output>> MeteredOutputs::OpenFor(
    absl::string_view name, Budget& budget) {
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, outputs_.Open(name));
  output->UseHelpers(helpers_);
  return MakeMeteredOutput(std::move(output), budget);
}

void ShareKallsymsTables(ConvertOptions* options) {
  options->symbols.kallsyms_cache = std::make_shared<KallsymsCache>();
}

absl::Status CheckTogether(const EmitterInfo& format,
                           const ConvertOptions& options) {
  const size_t dsos = options.filter.list(FilterKey::kDso).size();
  if (format.is_about_one_dso && dsos > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        format.name, " is about one file; name one with --dso, not ", dsos));
  }
  return CheckWallClock(options, {.branches = format.is_about_one_dso});
}

std::map<std::string, std::string> WithDefaults(
    const EmitterInfo& format,
    const std::map<std::string, std::string>& given) {
  std::map<std::string, std::string> options;
  for (const EmitterOption& option : format.options) {
    auto it = given.find(option.name);
    options[option.name] =
        it != given.end() ? it->second : option.default_value;
  }
  if (format.is_about_one_dso) {
    const auto it = given.find("dso");
    options["dso"] = it != given.end() ? it->second : "";
  }
  return options;
}

std::optional<InputIdentity> FindBase(
    const EmitterInfo& format, const std::map<std::string, std::string>& given,
    bool follow_link) {
  const auto it = given.find(format.base_option);
  if (it == given.end() || it->second.empty()) return std::nullopt;
  return InputIdentity::FromPath(it->second, follow_link);
}

void AddBaseDiagnostics(const Diagnostics& of_base, Diagnostics* all) {
  for (const auto& [what, entry] : of_base.entries()) {
    all->Add(entry.severity, absl::StrCat("base: ", what), entry.first_offset,
             entry.bytes, entry.count);
  }
}

}  // namespace perf2x
