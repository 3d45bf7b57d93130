// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/output_target.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/convert/convert.h"
#include "converter/convert/named_outputs.h"
#include "converter/convert/output_check.h"
#include "converter/emit/registry.h"
#include "include/perf2x/convert.h"

namespace perf2x {
namespace {

using Code = ConversionResult::Code;
using Problem = ConversionResult::Problem;

ConversionResult Failed(Code code, absl::string_view error) {
  ConversionResult result;
  result.code = code;
  result.error = PlainText(error);
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
  absl::Status Observe(absl::Status status) {
    if (!status.ok()) failed_ = true;
    return status;
  }

 private:
  class Observed final : public Output {
   public:
    Observed(std::unique_ptr<Output> output, ObservedOutputs& all)
        : output_(std::move(output)), all_(all) {}
    absl::Status Write(absl::string_view bytes) override {
      return all_.Observe(output_->Write(bytes));
    }
    absl::Status WriteBuffer(ByteBuffer& buffer) override {
      return all_.Observe(output_->WriteBuffer(buffer));
    }
    void UseHelpers(HelperPool& helpers) override {
      output_->UseHelpers(helpers);
    }
    absl::Status Close() override { return all_.Observe(output_->Close()); }

   private:
    const std::unique_ptr<Output> output_;
    ObservedOutputs& all_;
  };

  OutputFactory& outputs_;
  std::atomic<bool> failed_{false};  // emitters may write on other threads
};

// Returns the code for an error of the input.
Code CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Code::kOk;
    case absl::StatusCode::kFailedPrecondition:
      return Code::kBadRequest;
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
  ConversionResult result = Failed(code, status.message());
  for (const ConvertReport::EventCount& event : report.events) {
    result.events.push_back(
        {event.name, event.unit, event.samples, event.period});
  }
  result.lost_samples = report.lost_samples;
  for (const auto& [message, entry] : report.diagnostics.entries()) {
    result.problems.push_back(
        {SeverityOf(entry.severity), PlainText(message), entry.count});
  }
  return result;
}

// Fails if the format does not have one of these options, or not with this
// value.
absl::Status CheckOptions(const EmitterInfo& format,
                          const std::map<std::string, std::string>& given) {
  for (const auto& [name, value] : given) {
    const auto option =
        std::find_if(format.options.begin(), format.options.end(),
                     [&wanted = name](const EmitterOption& known) {
                       return known.name == wanted;
                     });
    if (option == format.options.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(format.name, " has no option called ", name));
    }
    const bool is_flag = *option->value == '\0';
    if (is_flag && value != "true" && value != "false") {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is \"true\" or \"false\", not ", value));
    }
  }
  return format.check == nullptr ? absl::OkStatus()
                                 : format.check(WithDefaults(format, given));
}

// Fails if the request names no output, or one that must not be written. Adds
// what is read and written to `*check`.
absl::Status CheckOutput(const ConversionRequest& request,
                         const EmitterInfo& format,
                         const std::optional<InputIdentity>& base,
                         OutputCheck* check) {
  if (request.output.empty()) {
    return absl::InvalidArgumentError("the request names no output");
  }
  std::vector<std::string> outputs = {request.output};
  if (format.file_names != nullptr) {
    ASSIGN_OR_RETURN(const auto members, format.file_names(WithDefaults(
                                             format, request.format_options)));
    if (!members.empty() && request.output == "-") {
      return absl::InvalidArgumentError(
          absl::StrCat(format.name, " writes a folder; its option ",
                       format.one_file_option, " selects one file"));
    }
    for (const std::string& member : members) {
      outputs.push_back(NamedOutputs::MemberPath(request.output, member));
    }
  }
  check->AddInput(request.input);
  if (!request.kallsyms.empty()) check->AddInput(request.kallsyms);
  if (base.has_value()) check->AddInput(base->path);
  for (const std::string& output : outputs) {
    RETURN_IF_ERROR(check->AddOutput(output));
  }
  return absl::OkStatus();
}

// Fails, as the caller's mistake, before anything is opened.
absl::Status Check(const ConversionRequest& request, const EmitterInfo* format,
                   const InputIdentity& input,
                   const std::optional<InputIdentity>& base,
                   OutputCheck* check) {
  if (format == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("no format is called ", request.format));
  }
  RETURN_IF_ERROR(CheckOptions(*format, request.format_options));
  if (request.untrusted) {
    RETURN_IF_ERROR(input.CheckRegular());
    if (base.has_value()) RETURN_IF_ERROR(base->CheckRegular());
  }
  return CheckOutput(request, *format, base, check);
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
  const InputIdentity found =
      InputIdentity::FromPath(request.input, !request.untrusted);
  ConvertOptions options;
  if (format != nullptr) {
    options.base =
        FindBase(*format, request.format_options, !request.untrusted);
  }
  OutputCheck check;
  if (const absl::Status status =
          Check(request, format, found, options.base, &check);
      !status.ok()) {
    return Failed(Code::kBadRequest, status.message());
  }
  auto input = OpenInput(found);
  if (!input.ok()) return ResultOf(CodeOf(input.status()), input.status(), {});
  options.symbolize = request.symbolize && !request.untrusted;
  options.untrusted = request.untrusted;
  options.symbols.binaries.symfs = request.symfs;
  options.symbols.kallsyms = request.kallsyms;
  options.emitter_options = request.format_options;
  options.threads = std::max(1, request.threads);
  const OutputTargets targets;
  NamedOutputs outputs(request.output, *format, targets, &check);
  ObservedOutputs observed(outputs);
  ConvertReport report;
  absl::Status status =
      Convert(*std::move(input), *format, observed, options, &report);
  if (status.ok()) status = observed.Observe(outputs.Publish());
  const Code code =
      observed.failed() ? Code::kCannotWriteOutput : CodeOf(status);
  return ResultOf(code, status, report);
}

}  // namespace perf2x
