// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/run_diff.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/output.h"
#include "converter/base/status_macros.h"
#include "converter/cli/destinations.h"
#include "converter/cli/format_choice.h"
#include "converter/cli/interrupt.h"
#include "converter/cli/report.h"
#include "converter/cli/run_convert.h"
#include "converter/cli/sandbox_policy.h"
#include "converter/compare/comparison_text.h"
#include "converter/convert/compare_recordings.h"
#include "converter/convert/named_outputs.h"
#include "converter/convert/output_check.h"

namespace perf2x {
namespace {

absl::StatusOr<std::vector<InputIdentity>> Find(
    const std::vector<std::string>& names, bool follow_links) {
  std::vector<InputIdentity> found;
  for (const std::string& name : names) {
    found.push_back(InputIdentity::FromPath(name, follow_links));
    if (found.back().is_stdin() || found.back().HasType(S_IFIFO)) {
      return absl::InvalidArgumentError(
          "diff reads each recording twice: it takes no pipes");
    }
  }
  return found;
}

// Returns the format of the file to write; null: none is written.
absl::StatusOr<const EmitterInfo*> FormatOf(const CommandLine& options) {
  if (options.output.empty()) {
    if (options.format.empty()) return nullptr;
    return absl::InvalidArgumentError(
        absl::StrCat("--to ", options.format,
                     " of diff needs -o FILE: the table goes to standard "
                     "output"));
  }
  if (options.output == "-") {
    return absl::InvalidArgumentError(
        "-o of diff takes a file: the table goes to standard output");
  }
  ASSIGN_OR_RETURN(const EmitterInfo* format, ChooseFormat(options));
  RETURN_IF_ERROR(CheckShowsDifference(*format));
  return format;
}

// See ResolveInputs.
std::optional<int> ResolveSides(CommandLine* options) {
  for (auto* inputs : {&options->diff.base, &options->diff.now}) {
    if (inputs->empty()) continue;
    if (const auto end = ResolveInputs(inputs, options)) return end;
  }
  return std::nullopt;
}

absl::Status CheckDiff(const DiffOptions& diff) {
  if (diff.base.empty() || diff.now.empty()) {
    return absl::InvalidArgumentError(
        "diff takes recordings of two sides: perf2x diff BASE... -- NEW...");
  }
  if (!diff.fail_above.empty() &&
      std::min(diff.base.size(), diff.now.size()) < kMinRuns) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--fail-above needs at least ", kMinRuns,
        " recordings a side, to tell a change from noise; record more runs"));
  }
  return absl::OkStatus();
}

absl::Status WriteComparison(const Comparison& comparison,
                             const DiffOptions& diff) {
  const std::string text = diff.form == DiffOptions::Form::kJson
                               ? ComparisonJson(comparison)
                           : diff.form == DiffOptions::Form::kMarkdown
                               ? ComparisonMarkdown(comparison, diff.rows)
                               : ComparisonTable(comparison, diff.rows);
  ASSIGN_OR_RETURN(const auto output, OpenOutput("-"));
  RETURN_IF_ERROR(output->Write(text));
  return output->Close();
}

// Prints warnings about the recordings. Returns true if one lost something.
bool Warn(const CommandLine& options, const ComparedInputs& inputs,
          const std::vector<ConvertReport>& reports) {
  bool is_lossy = false;
  for (size_t i = 0; i < reports.size(); ++i) {
    const auto& input = i < inputs.base.size()
                            ? inputs.base[i]
                            : inputs.now[i - inputs.base.size()];
    is_lossy |= reports[i].diagnostics.lossy();
    const std::string warning = WarningText(reports[i]);
    if (options.quiet || warning.empty()) continue;
    PrintErrorLine(kDone, absl::StrCat("warning: ", input.path, ": ", warning));
  }
  return is_lossy;
}

// Prints what is above the limits. Returns the exit status.
int Judge(const Comparison& comparison, const DiffOptions& diff) {
  int status = kDone;
  for (const FailAbove& limit : diff.fail_above) {
    std::vector<std::string> failures = NamesAbove(comparison, limit);
    if (failures.empty()) continue;
    constexpr size_t kMax = 5;
    const size_t all = failures.size();
    failures.resize(std::min(all, kMax));
    const char* of = limit.scope == FailAbove::Scope::kSelf    ? "self "
                     : limit.scope == FailAbove::Scope::kTotal ? "total "
                                                               : "";
    const bool is_share =
        comparison.runs.normalization == Normalization::kShare &&
        limit.scope != FailAbove::Scope::kAll;
    status = PrintErrorLine(
        kChanged,
        absl::StrCat(
            of, is_share ? "share grew" : "slower", " by more than ",
            100 * limit.share,
            " %, beyond the noise: ", absl::StrJoin(failures, ", "),
            all > kMax ? absl::StrCat(" and ", all - kMax, " more") : ""));
  }
  return status;
}

// Writes the file that shows the difference, and prints warnings about what is
// not in it. Sets `*is_lossy` if there are any.
absl::Status WriteFile(const CommandLine& options, const EmitterInfo& format,
                       const OutputTargets& targets,
                       const ComparedInputs& inputs, const std::string& event,
                       bool* is_lossy) {
  NamedOutputs outputs(options.output, format, targets);
  Diagnostics skipped;
  RETURN_IF_ERROR(WriteDifference(inputs, options.convert, event, format,
                                  outputs, &skipped));
  RETURN_IF_ERROR(outputs.Publish());
  *is_lossy |= skipped.lossy();
  for (const auto& [what, entry] : skipped.entries()) {
    if (options.quiet || entry.severity == Diagnostics::Severity::kNote) {
      continue;
    }
    PrintErrorLine(kDone, absl::StrCat("warning: ", options.output, ": ",
                                       ProblemText(what, entry)));
  }
  return absl::OkStatus();
}

}  // namespace

int RunDiff(CommandLine options) {
  const DiffOptions& diff = options.diff;
  const auto refuse = [](const absl::Status& status) {
    return PrintErrorLine(kWrongUsage, status.message());
  };
  if (const auto end = ResolveSides(&options)) return *end;
  if (const absl::Status s = CheckDiff(diff); !s.ok()) return refuse(s);
  const auto format = FormatOf(options);
  if (!format.ok()) return refuse(format.status());
  ComparedInputs inputs;
  for (const auto& [names, to] : {std::pair(&diff.base, &inputs.base),
                                  std::pair(&diff.now, &inputs.now)}) {
    auto found = Find(*names, !options.untrusted);
    if (!found.ok()) return refuse(found.status());
    *to = *std::move(found);
  }
  std::vector<std::string> read = FilesToRead(options);
  for (const auto* names : {&diff.base, &diff.now}) {
    read.insert(read.end(), names->begin(), names->end());
  }
  std::vector<std::string> written = {"-"};
  OutputTargets targets;
  if (*format != nullptr) {
    written.push_back(options.output);
    targets.Add(options.output, /*in_place=*/false);
  }
  if (const absl::Status s = CheckOutputs(read, written); !s.ok()) {
    return refuse(s);
  }
  std::vector<InputIdentity> all = inputs.base;
  all.insert(all.end(), inputs.now.begin(), inputs.now.end());
  const auto fail = [](const absl::Status& status) {
    return PrintErrorLine(kFailed, status.message());
  };
  if (const absl::Status s = EnterSandboxFor(&options, all, targets); !s.ok()) {
    return fail(s);
  }
  CleanUpWhenInterrupted();

  std::vector<ConvertReport> reports;
  const auto comparison = CompareRecordings(inputs,
                                            {.convert = options.convert,
                                             .event = diff.event,
                                             .normalize = diff.normalize},
                                            &reports);
  bool is_lossy = Warn(options, inputs, reports);
  if (!comparison.ok()) return fail(comparison.status());
  if (const absl::Status s = WriteComparison(*comparison, diff); !s.ok()) {
    return fail(s);
  }
  if (*format != nullptr) {
    const absl::Status s = WriteFile(options, **format, targets, inputs,
                                     comparison->runs.event, &is_lossy);
    if (!s.ok()) return fail(s);
  }
  if (options.strict && is_lossy) {
    return PrintErrorLine(kFailed, "failed because of --strict: see above");
  }
  return Judge(*comparison, diff);
}

}  // namespace perf2x
