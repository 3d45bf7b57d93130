// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ITRACE_OPTIONS_H_
#define PERF2X_HWTRACE_ITRACE_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// Which samples are made of a hardware trace, as `--itrace` of perf says
// (itrace_do_parse_synth_opts() in tools/perf/util/auxtrace.c).
struct ItraceOptions {
  bool instructions = true;
  uint64_t period = 1;  // one sample for so many instructions of the trace
  bool branches = true;
  bool last_branch = true;    // branch stacks
  bool first_level = true;    // accesses and misses of the first-level cache
  bool last_level = true;     // … of the last-level cache
  bool tlb = true;            // … of the TLB
  bool remote_access = true;  // accesses to another socket
  bool memory = true;         // all loads and stores
  friend bool operator==(const ItraceOptions&, const ItraceOptions&) = default;
};

// Parses letters with their values: "i1000i", "fm", "bl64". An empty text
// stands for the defaults of ItraceOptions. Letters that choose what no decoder
// here makes (calls, transactions, errors, …) are accepted. Fails for others,
// and for periods in units of time.
absl::StatusOr<ItraceOptions> ParseItraceOptions(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ITRACE_OPTIONS_H_
