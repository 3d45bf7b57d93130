// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ITRACE_OPTIONS_H_
#define PERF2X_HWTRACE_ITRACE_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// Which samples are made of a hardware trace, as `--itrace` of perf says
// (itrace_do_parse_synth_opts() in tools/perf/util/auxtrace.c). Each flag but
// `last_branch` makes samples of one kind. By default, all are set.
struct ItraceOptions {
  bool instructions = true;
  // Records of the trace for each sample of `instructions`.
  uint64_t period = 1;
  bool has_period = false;    // a period was given
  bool branches = true;       // and mispredicted branches
  bool last_branch = true;    // gives all samples a branch stack
  bool first_level = true;    // accesses and misses of the first-level cache
  bool last_level = true;     // … of the last-level cache
  bool tlb = true;            // … of the TLB
  bool remote_access = true;  // accesses to another socket
  bool memory = true;         // all loads and stores
  friend bool operator==(const ItraceOptions&, const ItraceOptions&) = default;
};

// Parses letters with their values, such as "i1000i", "fm", "bl64". Sets the
// flags that the letters choose, and clears all others. An empty text stands
// for the defaults of ItraceOptions. A period of 0 counts as 1.
//
// Ignores letters that choose what no decoder here makes (calls, transactions,
// errors, …), and numbers after letters other than "i". Fails with
// InvalidArgument for other letters, and for periods that are not in
// instructions.
absl::StatusOr<ItraceOptions> ParseItraceOptions(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ITRACE_OPTIONS_H_
