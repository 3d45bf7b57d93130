// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_TRIAL_LOOP_H_
#define PERF2X_TESTS_FUZZ_TRIAL_LOOP_H_

#include <cstdint>
#include <string>
#include <vector>

namespace perf2x {

// Options of RunTrialLoop(). Seeds are those of MakeTrial().
struct TrialLoopOptions {
  uint64_t first_seed = 1;
  uint64_t count = 0;   // number of trials; 0: no limit
  double seconds = 0;   // wall-clock time; 0: no limit
  int processes = 1;    // that run trials in parallel
  std::string save_to;  // folder for inputs that break a promise; or ""
  bool print = true;    // findings as they come, and a table at the end
};

struct TrialFinding {
  uint64_t seed = 0;
  std::string what;
};

// Runs trials in child processes: a trial that crashes, hangs or takes far too
// much time or memory is a finding like any other, and the loop continues with
// the next trial.
std::vector<TrialFinding> RunTrialLoop(const TrialLoopOptions& options);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_TRIAL_LOOP_H_
