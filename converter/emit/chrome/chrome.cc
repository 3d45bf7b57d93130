#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/chrome/chrome_emitter.h"
#include "converter/emit/emitters.h"

namespace perf2x {
namespace {

absl::StatusOr<std::unique_ptr<Emitter>> MakeChromeEmitter(
    const EmitterContext& context) {
  ChromeEmitter::Options options;
  const std::string& samples = context.options.at("samples");
  if (samples == "slices") {
    options.samples = SampleForm::kSlices;
  } else if (samples == "profile") {
    options.samples = SampleForm::kProfile;
  } else if (samples == "instants") {
    options.samples = SampleForm::kInstants;
  } else if (samples == "none") {
    options.samples = SampleForm::kNone;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("--samples is slices, profile, instants or none, not \"",
                     samples, "\""));
  }
  options.threads = context.threads;
  options.absolute = context.options.at("absolute-time") == "true";
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, context.outputs.Open(""));
  return std::make_unique<ChromeEmitter>(context.tables, std::move(output),
                                         options, context.budget);
}

}  // namespace

EmitterInfo ChromeEmitterInfo() {
  static constexpr EmitterOption kOptions[] = {
      {"samples", "FORM", "Show samples as slices, profile, instants or none",
       "slices"},
      {"absolute-time", "", "Keep the recording's clock", ""},
  };
  return {.name = "chrome",
          .extension = ".json",
          .summary = "Chrome trace JSON, for Perfetto and others",
          .options = kOptions,
          .make = MakeChromeEmitter,
          .advice =
              "open it on https://ui.perfetto.dev or in "
              "chrome://tracing"};
}

}  // namespace perf2x
