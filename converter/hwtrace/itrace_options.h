// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ITRACE_OPTIONS_H_
#define PERF2X_HWTRACE_ITRACE_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// The kinds of samples to make from a hardware trace, chosen as with perf's
// `--itrace` (itrace_do_parse_synth_opts() in tools/perf/util/auxtrace.c). By
// default, all flags are set.
struct ItraceOptions {
  // In what `period` is. kDefault: the kind of trace determines the period.
  enum class Unit : uint8_t { kDefault, kInstructions, kNanoseconds };

  bool instructions = true;
  // Instructions, or ns, for each sample of `instructions`. Of a trace that has
  // sampled instructions, those count that it has.
  uint64_t period = 1;
  Unit unit = Unit::kDefault;
  bool branches = true;       // all branches, and mispredicted ones
  bool last_branch = true;    // no samples: adds a branch stack to all samples
  bool first_level = true;    // accesses and misses of the first-level cache
  bool last_level = true;     // … of the last-level cache
  bool tlb = true;            // … of the TLB
  bool remote_access = true;  // accesses to another socket
  bool memory = true;         // all loads and stores
  bool transactions = true;   // begins, ends and aborts
  bool ptwrites = true;       // values that PTWRITE instructions wrote
  bool power = true;          // changes of power and frequency
  // Of traces that have all branches: samples of `branches` for calls alone,
  // for returns, or for both. Neither: for all, if `branches` was chosen.
  bool calls = false, returns = false;
  // The letters were given. Without that, there is no sample for each branch of
  // traces that have all.
  bool chosen = false;

  // Returns how many sampled instructions of a trace make a sample.
  uint64_t records() const { return unit == Unit::kInstructions ? period : 1; }
  friend bool operator==(const ItraceOptions&, const ItraceOptions&) = default;
};

// Parses letters with their values, such as "i1000i", "fm", "bl64". Sets the
// flags that the letters choose, and clears all others. Returns ItraceOptions()
// for an empty text. A period of 0 counts as 1.
//
// A period is in instructions ("i"), "ms", "us" or "ns", the default. Without
// one, the kind of trace determines it.
//
// Ignores letters that choose what no decoder here makes (callchains, errors,
// …), and numbers after letters other than "i". Fails with InvalidArgument for
// other letters, and for periods in ticks.
absl::StatusOr<ItraceOptions> ParseItraceOptions(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ITRACE_OPTIONS_H_
