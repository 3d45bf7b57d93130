// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/run_convert.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/base/early_exit_cleanup.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/cli/destinations.h"
#include "converter/cli/format_choice.h"
#include "converter/cli/input_list.h"
#include "converter/cli/interrupt.h"
#include "converter/cli/json_summary.h"
#include "converter/cli/open_result.h"
#include "converter/cli/progress_line.h"
#include "converter/cli/report.h"
#include "converter/cli/sandbox_policy.h"
#include "converter/cli/suggest.h"
#include "converter/convert/convert.h"
#include "converter/convert/merge.h"
#include "converter/convert/named_outputs.h"
#include "converter/convert/output_check.h"
#include "converter/emit/registry.h"
#include "converter/symbolize/find/debuginfod.h"

namespace perf2x {
namespace {

// Calls `work(options, line)` and meanwhile shows the progress in `line`, which
// is null if no one would see it.
template <class F>
void WithProgressLine(const CommandLine& options, F work) {
  ConvertOptions convert = options.convert;
  if (options.quiet || !ProgressLine::ShouldShow())
    return work(convert, nullptr);
  Progress progress;
  convert.progress = &progress;
  ProgressLine line(progress);
  work(convert, &line);
}

// Prints the summary and the warning, or the error, of an input. Returns true
// if the input counts as converted.
bool Tell(const CommandLine& options, const InputResult& result) {
  const ConvertReport& report = result.report;
  if (!result.status.ok()) {
    PrintErrorLine(kFailed, result.status.message());
    return false;
  }
  if (!options.quiet) {
    std::string text = absl::StrCat("perf2x: ", PlainText(result.input));
    if (!result.output.empty()) {
      absl::StrAppend(
          &text, " to ",
          result.output == "-" ? "standard output" : PlainText(result.output));
    }
    absl::StrAppend(&text, "\n", SummaryText(report, options.verbose));
    const std::string warning = WarningText(report);
    if (!warning.empty()) {
      absl::StrAppend(&text, "perf2x: warning: ", warning, "\n");
    }
    PrintError(text);
  }
  if (options.strict && report.diagnostics.lossy()) {
    PrintErrorLine(kFailed, "failed because of --strict: see above");
    return false;
  }
  return true;
}

// What is written, and where.
struct Plan {
  const EmitterInfo* format;
  Destinations to;
  OutputTargets targets;              // of all files that are written
  OutputCheck check;                  // with all files that are read
  std::optional<InputIdentity> base;  // the recording to compare with
};

void ConvertOne(const Plan& plan, const ConvertOptions& convert,
                const InputIdentity& found, InputResult* result) {
  auto input = OpenInput(found);
  if (!input.ok()) {
    result->status = input.status();
    return;
  }
  NamedOutputs outputs(result->output, *plan.format, plan.targets, &plan.check);
  result->status = Convert(*std::move(input), *plan.format, outputs, convert,
                           &result->report);
  if (result->status.ok()) result->status = outputs.Publish();
}

// Returns true for an error of the input. Those of an output name that.
bool IsOfInput(const absl::Status& status) {
  return !absl::StartsWith(status.message(), "cannot write ") &&
         (absl::IsDataLoss(status) || absl::IsInvalidArgument(status) ||
          absl::IsFailedPrecondition(status) ||
          absl::IsResourceExhausted(status));
}

// Converts each input, several at a time; reports the results in order. Returns
// the number of inputs that failed.
size_t ConvertEach(const CommandLine& options, const Plan& plan,
                   const std::vector<InputIdentity>& inputs,
                   std::vector<InputResult>* results) {
  const size_t at_a_time =
      std::clamp<size_t>(options.convert.threads, 1, results->size());
  std::mutex mutex;
  std::vector<bool> done(results->size());
  size_t told = 0, failed = 0;
  WithProgressLine(options, [&](ConvertOptions& convert, ProgressLine* line) {
    ShareKallsymsTables(&convert);
    convert.threads =
        std::max<int>(1, convert.threads / static_cast<int>(at_a_time));
    WorkerPool workers(static_cast<int>(at_a_time));
    workers.ForEach(results->size(), [&](size_t i) {
      InputResult& result = (*results)[i];
      ConvertOne(plan, convert, inputs[i], &result);
      if (results->size() > 1 || IsOfInput(result.status)) {
        result.status = WithInputName(result.input, result.status);
      }
      const std::lock_guard lock(mutex);
      done[i] = true;
      for (; told < results->size() && done[told]; ++told) {
        const auto tell = [&] {
          if (!Tell(options, (*results)[told])) ++failed;
        };
        line == nullptr ? tell() : line->Pause(tell);
      }
    });
  });
  return failed;
}

// Converts all inputs into one output. Returns the number of inputs that
// failed; if one cannot be converted, all of them, since nothing is written
// then.
size_t ConvertMerged(const CommandLine& options, const Plan& plan,
                     const std::vector<InputIdentity>& inputs,
                     std::vector<InputResult>* results) {
  const std::string& output = plan.to.outputs[0];
  std::vector<ConvertReport> reports;
  absl::Status status;
  WithProgressLine(options, [&](const ConvertOptions& convert, ProgressLine*) {
    NamedOutputs outputs(output, *plan.format, plan.targets, &plan.check);
    status = Merge(inputs, *plan.format, outputs, convert, &reports);
    if (status.ok()) status = outputs.Publish();
  });
  reports.resize(results->size());
  for (size_t i = 0; i < results->size(); ++i) {
    (*results)[i].status = status;
    (*results)[i].report = std::move(reports[i]);
  }
  if (!status.ok()) {
    PrintErrorLine(kFailed, status.message());
    return results->size();
  }
  if (!options.quiet) {
    PrintError(absl::StrCat(
        "perf2x: ", results->size(),
        results->size() == 1 ? " input" : " inputs", " to ",
        output == "-" ? "standard output" : PlainText(output), "\n"));
  }
  return static_cast<size_t>(std::count_if(
      results->begin(), results->end(),
      [&](const auto& result) { return !Tell(options, result); }));
}

bool IsPipe(const InputIdentity& input) { return input.HasType(S_IFIFO); }

// Returns what was probably meant by an argument that names no file: by the
// first one nearly a command or a format, by the last one an output. "there is
// no recording inof; did you mean info?". Empty if all arguments are meant as
// recordings, missing files included.
std::string MistakenInput(const std::vector<std::string>& inputs) {
  const auto is_missing = [](const std::string& input) {
    return input != "-" && access(input.c_str(), F_OK) != 0;
  };
  const auto complaint = [](const std::string& input, absl::string_view hint) {
    return absl::StrCat("there is no recording ", input, hint);
  };
  if (const std::string& last = inputs.back();
      is_missing(last) && FindEmitterByPath(last) != nullptr) {
    return complaint(last, absl::StrCat("; did you mean -o ", last, "?"));
  }
  const std::string& first = inputs.front();
  if (!is_missing(first)) return "";
  if (FindEmitter(first) != nullptr) {
    return complaint(first, absl::StrCat("; did you mean --to ", first, "?"));
  }
  if (first == "help") return complaint(first, "; did you mean --help?");
  const std::string hint =
      DidYouMean(first, {"info", "dump", "diff", "formats"});
  return hint.empty() ? "" : complaint(first, hint);
}

// Fails if standard input is one of several inputs that are converted one by
// one, or is named twice.
absl::Status CheckStdin(const CommandLine& options) {
  const std::vector<std::string>& inputs = options.inputs;
  const auto times = std::count(inputs.begin(), inputs.end(), "-");
  if (times == 0 || inputs.size() == 1) return absl::OkStatus();
  if (times > 1) {
    return absl::InvalidArgumentError("standard input is named twice");
  }
  return options.merge ? absl::OkStatus()
                       : absl::InvalidArgumentError(
                             "standard input can only be converted by itself "
                             "or with --merge");
}

// Whether --debuginfod can be done.
absl::Status CheckDebuginfod() {
  if (!CanAskDebuginfod()) {
    return absl::UnimplementedError(
        "--debuginfod: not in this build, which loads no libraries: use one "
        "with shared libraries, as the .deb for x86-64 has");
  }
  const char* urls = std::getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0') {
    return absl::InvalidArgumentError(
        "--debuginfod: DEBUGINFOD_URLS is not set, which says what servers to "
        "ask");
  }
  return absl::OkStatus();
}

// Decides what is written, and where. Fails with an error of usage, before
// anything is opened for writing.
absl::StatusOr<Plan> MakePlan(const CommandLine& options) {
  Plan plan;
  ASSIGN_OR_RETURN(plan.format, ChooseFormat(options));
  RETURN_IF_ERROR(CheckTogether(*plan.format, options.convert));
  if (options.merge) {
    RETURN_IF_ERROR(CheckCanMerge(
        *plan.format,
        WithDefaults(*plan.format, options.convert.emitter_options)));
  }
  ASSIGN_OR_RETURN(plan.to, ChooseDestinations(options, *plan.format));
  ASSIGN_OR_RETURN(const auto files,
                   FilesToWrite(options, *plan.format, plan.to));
  plan.base = FindBase(*plan.format, options.convert.emitter_options,
                       !options.untrusted);
  if (plan.base.has_value() && (plan.base->is_stdin() || IsPipe(*plan.base))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", plan.format->base_option, " takes a file, not a pipe"));
  }
  for (const std::string& file : FilesToRead(options))
    plan.check.AddInput(file);
  for (const std::string& file : files) {
    RETURN_IF_ERROR(plan.check.AddOutput(file));
    const auto& named = plan.to.outputs;
    plan.targets.Add(
        file,
        options.in_place && std::count(named.begin(), named.end(), file) > 0);
  }
  return plan;
}

// Fails if something would otherwise fail only after the work is done, or for
// each input again.
absl::Status CheckPlaces(const CommandLine& options, const Plan& plan) {
  if (!plan.to.folder.empty()) {
    RETURN_IF_ERROR(ResolveOutputFolder(plan.to.folder).status());
    for (const std::string& output : plan.to.outputs) {
      const auto target = plan.targets.TargetOf(output);
      if (target.ok()) RETURN_IF_ERROR(target->CheckNotDeviceOrFifo());
    }
  }
  if (options.json_summary.empty()) return absl::OkStatus();
  return plan.targets.TargetOf(options.json_summary).status();
}

absl::Status WriteSummary(const absl::StatusOr<OutputTarget>& target,
                          const std::string& text) {
  RETURN_IF_ERROR(target.status());
  ASSIGN_OR_RETURN(const auto output, OpenOutput(*target));
  RETURN_IF_ERROR(output->Write(text));
  return output->Close();
}

// Carries out the plan and reports on it. Returns the exit status.
int Execute(const CommandLine& options, const Plan& plan,
            const std::vector<InputIdentity>& inputs, ResultViewer* viewer) {
  const absl::Status writable = CheckPlaces(options, plan);
  if (!writable.ok()) return PrintErrorLine(kFailed, writable.message());
  const EmitterInfo& format = *plan.format;
  const Destinations& to = plan.to;
  const std::string merged_into = options.merge ? to.outputs[0] : "";
  std::vector<InputResult> results(inputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].input = inputs[i].path;
    if (!options.merge) results[i].output = to.outputs[i];
  }
  std::optional<EarlyExitCleanup> made_folder;
  if (!to.folder.empty() && mkdir(to.folder.c_str(), 0777) == 0) {
    made_folder.emplace([&to] { rmdir(to.folder.c_str()); });
  }
  const size_t failed = options.merge
                            ? ConvertMerged(options, plan, inputs, &results)
                            : ConvertEach(options, plan, inputs, &results);
  if (made_folder.has_value()) {
    made_folder.reset();
    if (failed == results.size()) rmdir(to.folder.c_str());
  }
  if (!options.json_summary.empty()) {
    const absl::Status status =
        WriteSummary(plan.targets.TargetOf(options.json_summary),
                     JsonSummary(format.name, merged_into, results));
    if (!status.ok()) return PrintErrorLine(kFailed, status.message());
  }
  if (failed > 0 && results.size() > 1 && !options.merge) {
    PrintErrorLine(kFailed, absl::StrCat(failed, " of ", results.size(),
                                         " inputs failed"));
  }
  if (failed > 0) return kFailed;
  return viewer != nullptr ? viewer->Show() : kDone;
}

}  // namespace

void PrintError(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int PrintErrorLine(int code, absl::string_view text) {
  PrintError(absl::StrCat("perf2x: ", PlainText(text), "\n"));
  return code;
}

std::string DefaultInput() {
  return IsPipe(InputIdentity::FromPath("-")) ? "-" : "perf.data";
}

std::optional<int> ResolveInputs(std::vector<std::string>* inputs,
                                 CommandLine* options) {
  if (inputs->empty()) inputs->push_back(DefaultInput());
  std::vector<std::string> read = FilesToRead(*options);
  const CommandLine& given = *options;
  for (const auto* arguments :
       {&given.inputs, &given.diff.base, &given.diff.now}) {
    for (const std::string& argument : *arguments) {
      read.emplace_back(absl::StripPrefix(argument, "@"));
    }
  }
  const absl::StatusOr<InputNames> names = ExpandInputs(*inputs);
  if (names.ok()) {
    *inputs = names->inputs;
    options->lists.insert(options->lists.end(), names->lists.begin(),
                          names->lists.end());
    read.insert(read.end(), inputs->begin(), inputs->end());
  }
  if (IncludesStandardError(read)) return kFailed;
  if (!names.ok()) {
    return PrintErrorLine(kWrongUsage, names.status().message());
  }
  if (!names->skipped.empty() && !options->quiet) {
    const size_t more = names->skipped.size() - 1;
    PrintErrorLine(
        kDone,
        absl::StrCat("left out ", names->skipped[0],
                     more > 0 ? absl::StrCat(" and ", more, " more") : "",
                     ": no regular file"));
  }
  return std::nullopt;
}

int RunConvert(CommandLine options) {
  const bool is_default = options.inputs.empty();
  if (const auto end = ResolveInputs(&options.inputs, &options)) return *end;
  const std::vector<std::string>& inputs = options.inputs;
  if (const absl::Status status = CheckStdin(options); !status.ok()) {
    return PrintErrorLine(kWrongUsage, status.message());
  }
  if (is_default && inputs[0] != "-" && access(inputs[0].c_str(), F_OK) != 0) {
    return PrintErrorLine(
        kFailed,
        absl::StrCat("cannot read ", inputs[0], ": ", std::strerror(errno),
                     "; name a recording, or see --help"));
  }
  if (const std::string mistake = MistakenInput(inputs); !mistake.empty()) {
    return PrintErrorLine(kWrongUsage, mistake);
  }
  if (options.convert.symbols.binaries.debuginfod) {
    if (const absl::Status status = CheckDebuginfod(); !status.ok()) {
      return PrintErrorLine(kWrongUsage, status.message());
    }
  }
  std::vector<InputIdentity> found;
  found.reserve(inputs.size());
  for (const std::string& input : inputs) {
    found.push_back(InputIdentity::FromPath(input, !options.untrusted));
  }
  const bool has_pipe = std::any_of(found.begin(), found.end(), IsPipe);
  const absl::StatusOr<Plan> plan = MakePlan(options);
  if (!plan.ok()) return PrintErrorLine(kWrongUsage, plan.status().message());
  if (IsDefaultFormat(options) && !options.quiet) {
    PrintError(
        absl::StrCat("perf2x: no format given: ", plan->format->name,
                     "; --to FORMAT or the extension of -o names another\n"));
  }

  std::optional<ResultViewer> viewer;
  if (options.open) viewer.emplace(*plan->format, plan->to.outputs[0]);
  options.convert.base = plan->base;
  std::vector<InputIdentity> read = found;
  if (plan->base.has_value()) read.push_back(*plan->base);
  const absl::Status confined = EnterSandboxFor(&options, read, plan->targets);
  if (!confined.ok()) return PrintErrorLine(kFailed, confined.message());
  CleanUpWhenInterrupted();
  if (has_pipe) {
    IgnoreFirstInterrupt(options.quiet);
  }
  return Execute(options, *plan, found, viewer ? &*viewer : nullptr);
}

}  // namespace perf2x
