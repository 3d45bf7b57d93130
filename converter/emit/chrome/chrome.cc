// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/chrome/chrome_emitter.h"
#include "converter/emit/emitters.h"

namespace perf2x {
namespace {

absl::StatusOr<SampleForm> ParseSampleForm(absl::string_view text) {
  if (text == "slices") return SampleForm::kSlices;
  if (text == "profile") return SampleForm::kProfile;
  if (text == "instants") return SampleForm::kInstants;
  if (text == "none") return SampleForm::kNone;
  return absl::InvalidArgumentError(absl::StrCat(
      "--samples is slices, profile, instants or none, not \"", text, "\""));
}

absl::StatusOr<std::unique_ptr<Emitter>> MakeChromeEmitter(
    const EmitterContext& context) {
  ChromeEmitter::Options options;
  ASSIGN_OR_RETURN(options.samples,
                   ParseSampleForm(context.options.at("samples")));
  options.absolute = context.options.at("absolute-time") == "true";
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, context.outputs.Open(""));
  return std::make_unique<ChromeEmitter>(context, std::move(output), options);
}

}  // namespace

EmitterInfo ChromeEmitterInfo() {
  static constexpr EmitterOption kOptions[] = {
      {"samples", "slices|profile|instants|none", "How samples are shown",
       "slices"},
      {"absolute-time", "", "Keep the recording's clock", ""},
  };
  return {.name = "chrome",
          .extension = ".json",
          .summary = "Chrome trace JSON, for Perfetto and others",
          .options = kOptions,
          .has_time_line = true,
          .make = MakeChromeEmitter,
          .check =
              [](const auto& options) {
                return ParseSampleForm(options.at("samples")).status();
              },
          .needs_times = true,
          .advice =
              "open it on https://ui.perfetto.dev or in "
              "chrome://tracing"};
}

}  // namespace perf2x
