// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/emitters.h"
#include "converter/emit/firefox/firefox_emitter.h"

namespace perf2x {
namespace {

absl::StatusOr<bool> ParseWeights(
    const std::map<std::string, std::string>& options) {
  const std::string& text = options.at("weights");
  if (text == "samples") return false;
  if (text == "periods") return true;
  return absl::InvalidArgumentError(
      absl::StrCat("--weights is samples or periods, not \"", text, "\""));
}

absl::StatusOr<std::unique_ptr<Emitter>> MakeFirefox(
    const EmitterContext& context) {
  ASSIGN_OR_RETURN(const bool periods, ParseWeights(context.options));
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, context.outputs.Open(""));
  return std::make_unique<FirefoxEmitter>(context, std::move(output), periods);
}

}  // namespace

EmitterInfo FirefoxEmitterInfo() {
  static constexpr EmitterOption kOptions[] = {
      {"weights", "samples|periods", "What a sample weighs: 1 or its period",
       "samples"},
  };
  return {
      .name = "firefox",
      .extension = ".firefox.json",
      .summary = "a profile for the Firefox Profiler",
      .options = kOptions,
      .has_time_line = true,
      .make = MakeFirefox,
      .check =
          [](const auto& options) { return ParseWeights(options).status(); },
      .needs_times = true,
      .advice = "drop it on https://profiler.firefox.com"};
}

}  // namespace perf2x
