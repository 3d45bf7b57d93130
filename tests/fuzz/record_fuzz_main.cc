// SPDX-License-Identifier: Apache-2.0

// Runs trials of rearranged recordings for hours: docs/fuzzing.md. Needs no
// libFuzzer, so it runs in every build.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "tests/fuzz/record_trial.h"
#include "tests/fuzz/trial_loop.h"

int main(int argc, char** argv) {
  perf2x::TrialLoopOptions options;
  bool here = false;
  CLI::App app(
      "Converts recordings whose records are rearranged. Start it in "
      "the folder of the sources.");
  app.add_option("--seconds", options.seconds, "by the clock");
  app.add_option("--seed", options.first_seed, "number of the first trial");
  app.add_option("--count", options.count, "of trials");
  app.add_option("--processes", options.processes, "at a time")
      ->check(CLI::PositiveNumber);
  app.add_option("--save", options.save_to,
                 "folder for inputs that break a promise");
  app.add_flag("--here", here, "run one trial in this process");
  CLI11_PARSE(app, argc, argv);
  if (!here) return perf2x::RunTrialLoop(options).empty() ? 0 : 1;
  const perf2x::RecordTrial trial =
      perf2x::MakeTrial(options.first_seed, perf2x::RecordingSeeds());
  std::printf("%s\n", trial.Description().c_str());
  perf2x::TrialCost cost;
  const std::string bad = perf2x::RunTrial(trial, &cost);
  std::printf("%.2f s, %.1f MB, %.1f MB written %s\n", cost.seconds,
              static_cast<double>(cost.memory) / 1e6,
              static_cast<double>(cost.written) / 1e6, bad.c_str());
  return bad.empty() ? 0 : 1;
}
