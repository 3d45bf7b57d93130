// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <memory>
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

// Opens the outputs of another factory, and notes whether opening or writing
// one failed.
class ObservedOutputs final : public OutputFactory {
 public:
  explicit ObservedOutputs(OutputFactory& outputs) : outputs_(outputs) {}
  absl::StatusOr<std::unique_ptr<Output>> Open(
      absl::string_view name) override {
    auto output = outputs_.Open(name);
    if (!output.ok()) return Observe(output.status());
    return std::make_unique<Observed>(*std::move(output), *this);
  }
  bool failed() const { return failed_; }

 private:
  class Observed final : public Output {
   public:
    Observed(std::unique_ptr<Output> output, ObservedOutputs& all)
        : output_(std::move(output)), all_(all) {}
    absl::Status Write(absl::string_view bytes) override {
      return all_.Observe(output_->Write(bytes));
    }
    absl::Status Close() override { return all_.Observe(output_->Close()); }

   private:
    const std::unique_ptr<Output> output_;
    ObservedOutputs& all_;
  };
  absl::Status Observe(absl::Status status) {
    if (!status.ok()) failed_ = true;
    return status;
  }

  OutputFactory& outputs_;
  std::atomic<bool> failed_{false};  // emitters may write on other threads
};

// Returns the code for an error of the input.
Code CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Code::kOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kUnimplemented:
      return Code::kNotARecording;
    case absl::StatusCode::kDataLoss:
      return Code::kDamaged;
    case absl::StatusCode::kUnavailable:
      return Code::kCannotReadInput;
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

ConversionResult ResultOf(Code code, const absl::Status& status,
                          const ConvertReport& report) {
  ConversionResult result = Failed(code, std::string(status.message()));
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
    return Failed(Code::kBadRequest,
                  absl::StrCat("no format is called ", request.format));
  }
  for (const auto& [name, value] : request.format_options) {
    if (!HasOption(*format, name)) {
      return Failed(
          Code::kBadRequest,
          absl::StrCat(request.format, " has no option called ", name));
    }
  }
  if (format->check != nullptr) {
    const absl::Status status =
        format->check(WithPresets(*format, request.format_options));
    if (!status.ok()) {
      return Failed(Code::kBadRequest, std::string(status.message()));
    }
  }
  auto input = OpenInput(request.input);
  if (!input.ok()) return ResultOf(CodeOf(input.status()), input.status(), {});
  ConvertOptions options;
  options.symbolize = request.symbolize;
  options.untrusted = request.untrusted;
  options.symbols.binaries.symfs = request.symfs;
  options.symbols.kallsyms = request.kallsyms;
  options.emitter_options = request.format_options;
  options.threads = std::max(1, request.threads);
  const OutputPlaces places;
  NamedOutputs outputs(
      request.output, *format, places,
      Pipeline(options.threads).has_thread(Pipeline::Edge::kCompress));
  ObservedOutputs observed(outputs);
  ConvertReport report;
  const absl::Status status =
      Convert(*std::move(input), *format, observed, options, &report);
  if (status.ok()) outputs.Keep();
  const Code code =
      observed.failed() ? Code::kCannotWriteOutput : CodeOf(status);
  return ResultOf(code, status, report);
}

}  // namespace perf2x
