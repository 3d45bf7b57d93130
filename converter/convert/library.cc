// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/output_place.h"
#include "converter/convert/convert.h"
#include "converter/convert/named_outputs.h"
#include "converter/emit/registry.h"
#include "include/perf2x/convert.h"

namespace perf2x {
namespace {

using Code = ConversionResult::Code;
using Problem = ConversionResult::Problem;

ConversionResult Failed(Code code, std::string error) {
  ConversionResult result;
  result.code = code;
  result.error = std::move(error);
  return result;
}

Code CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Code::kOk;
    case absl::StatusCode::kInvalidArgument:
      return Code::kRefused;
    case absl::StatusCode::kDataLoss:
      return Code::kDamaged;
    default:
      return Code::kFailed;
  }
}

Problem::Severity SeverityOf(Diagnostics::Severity severity) {
  switch (severity) {
    case Diagnostics::Severity::kSkipped:
      return Problem::Severity::kSkipped;
    case Diagnostics::Severity::kDamage:
      return Problem::Severity::kDamage;
    case Diagnostics::Severity::kNote:
      break;
  }
  return Problem::Severity::kNote;
}

ConversionResult ResultOf(const absl::Status& status,
                          const ConvertReport& report) {
  ConversionResult result =
      Failed(CodeOf(status), std::string(status.message()));
  for (const ConvertReport::EventCount& event : report.events) {
    result.events.push_back(
        {event.name, event.unit, event.samples, event.period});
  }
  result.lost_samples = report.lost_samples;
  for (const auto& [message, entry] : report.diagnostics.entries()) {
    result.problems.push_back(
        {SeverityOf(entry.severity), message, entry.count});
  }
  return result;
}

bool HasOption(const EmitterInfo& format, const std::string& name) {
  return std::any_of(
      format.options.begin(), format.options.end(),
      [&](const EmitterOption& option) { return option.name == name; });
}

}  // namespace

const char* LibraryVersion() { return PERF2X_VERSION; }

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const EmitterInfo& format : Emitters()) {
    names.emplace_back(format.name);
  }
  return names;
}

ConversionResult ConvertRecording(const ConversionRequest& request) {
  const EmitterInfo* format = FindEmitter(request.format);
  if (format == nullptr) {
    return Failed(Code::kRefused,
                  absl::StrCat("no format is called ", request.format));
  }
  for (const auto& [name, value] : request.format_options) {
    if (!HasOption(*format, name)) {
      return Failed(
          Code::kRefused,
          absl::StrCat(request.format, " has no option called ", name));
    }
  }
  auto input = OpenInput(request.input);
  if (!input.ok()) return ResultOf(input.status(), {});
  ConvertOptions options;
  options.symbolize = request.symbolize;
  options.untrusted = request.untrusted;
  options.symbols.binaries.symfs = request.symfs;
  options.symbols.kallsyms = request.kallsyms;
  options.emitter_options = request.format_options;
  options.threads = std::max(1, request.threads);
  const OutputPlaces places;
  NamedOutputs outputs(request.output, *format, places);
  ConvertReport report;
  const absl::Status status =
      Convert(*std::move(input), *format, outputs, options, &report);
  if (status.ok()) outputs.Keep();
  return ResultOf(status, report);
}

}  // namespace perf2x
