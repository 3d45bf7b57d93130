// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/format_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/cli/command_docs.h"
#include "converter/cli/option_app.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

// An option of one format or of several.
struct SharedOption {
  EmitterOption option;  // of the format that has most words for its value
  std::vector<std::string> formats;
};

std::vector<SharedOption> FormatOptions() {
  std::vector<SharedOption> all;
  for (const EmitterInfo& e : Emitters()) {
    for (const EmitterOption& option : e.options) {
      const absl::string_view name = option.name;
      auto it = std::find_if(all.begin(), all.end(), [&](const auto& known) {
        return known.option.name == name;
      });
      if (it == all.end()) it = all.insert(it, {option, {}});
      if (std::strlen(option.value) > std::strlen(it->option.value) ||
          std::strlen(option.default_value) >
              std::strlen(it->option.default_value)) {
        it->option = option;
      }
      it->formats.push_back(e.name);
    }
  }
  return all;
}

}  // namespace

void AddFormatOptions(OptionApp* app, CommandLine* options) {
  for (const auto& [option, formats] : FormatOptions()) {
    const std::string name = option.name;
    const auto set = [options, name](const std::string& value) {
      options->convert.emitter_options[name] = value;
    };
    const std::string flag = absl::StrCat("--", name);
    if (!app->Names(flag)) continue;
    const std::string text = absl::StrCat(
        option.help, *option.default_value == '\0' ? "" : "\nDefault: ",
        option.default_value);
    CLI::Option* added =
        *option.value == '\0'
            ? app->add_flag_callback(
                  flag, [set] { set("true"); }, text)
            : app->add_option_function<std::string>(flag, set, text)
                  ->type_name(option.value);
    added->group(
        absl::StrCat(kFormatGroupPrefix, absl::StrJoin(formats, ", ")));
  }
}

}  // namespace perf2x
