// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/diff_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/cli/command_line.h"

namespace perf2x {

absl::StatusOr<FailAbove> ParseFailAbove(absl::string_view text) {
  FailAbove limit;
  absl::string_view number = text;
  if (absl::ConsumePrefix(&number, "total:")) {
    limit.scope = FailAbove::Scope::kTotal;
  } else if (absl::ConsumePrefix(&number, "all:")) {
    limit.scope = FailAbove::Scope::kAll;
  } else {
    absl::ConsumePrefix(&number, "self:");
  }
  absl::ConsumeSuffix(&number, "%");
  double percent = 0;
  if (!absl::SimpleAtod(number, &percent) || !std::isfinite(percent) ||
      percent < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        text, " is no limit; say one like 3%, total:3% or all:3%"));
  }
  limit.share = percent / 100;
  return limit;
}

void AddDiff(CLI::App* app, CommandLine* options) {
  CLI::App* diff =
      app->add_subcommand("diff", "Compare recordings: BASE... -- NEW...");
  diff->footer("[-o FILE] BASE... -- NEW...");
  diff->callback([options] { options->command = CommandLine::Command::kDiff; });
  diff->set_help_all_flag();
  DiffOptions& d = options->diff;
  diff->add_option("BASE", d.base, "Recordings of the program before");
  diff->add_option("--new", d.now,
                   "A recording of the program after; or name them after --")
      ->type_name("FILE")
      ->allow_extra_args(false);
  diff->add_flag_callback(
      "--markdown", [&d] { d.form = DiffOptions::Form::kMarkdown; },
      "The table as Markdown, for a pull request");
  diff->add_flag_callback(
      "--json", [&d] { d.form = DiffOptions::Form::kJson; },
      "All functions as one JSON object");
  diff->add_option("--value", d.event,
                   "The event to compare\n"
                   "Default: wall with --wall-clock, else the first event that "
                   "samples code")
      ->type_name("EVENT");
  diff->add_option("--normalize", d.normalize,
                   "Divide values by: share, wall, none or an event\n"
                   "share is the recording's sum of the compared event, wall "
                   "its duration. Default: share")
      ->type_name("WHAT");
  diff->add_option("--rows", d.rows, "Functions in the table\nDefault: 25")
      ->type_name("N");
  diff->add_option_function<std::vector<std::string>>(
          "--fail-above",
          [&d](const std::vector<std::string>& all) {
            for (const std::string& text : all) {
              auto limit = ParseFailAbove(text);
              if (!limit.ok()) {
                throw CLI::ValidationError(
                    "--fail-above", std::string(limit.status().message()));
              }
              d.fail_above.push_back(*limit);
            }
          },
          "Exit with 3 if a function got slower by more than this\n"
          "3% or self:3% is about functions themselves, total:3% about them "
          "with their callees, all:3% about the whole program. Only changes "
          "beyond the noise count, so at least 4 recordings a side are needed. "
          "May be repeated")
      ->type_name("LIMIT")
      ->allow_extra_args(false);
  diff->fallthrough();
}

std::vector<std::string> RewriteDiffArguments(int argc,
                                              const char* const* argv) {
  std::vector<std::string> args(argv, argv + argc);
  const auto command = std::find(args.begin(), args.end(), "diff");
  const auto dashes = std::find(command, args.end(), "--");
  if (dashes == args.end()) return args;
  std::vector<std::string> out(args.begin(), dashes);
  for (auto it = dashes + 1; it != args.end(); ++it) {
    out.push_back(absl::StrCat("--new=", *it));
  }
  return out;
}

}  // namespace perf2x
