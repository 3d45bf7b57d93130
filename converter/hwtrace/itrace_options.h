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
  bool instructions = true;
  // Records of the trace for each sample of `instructions`.
  uint64_t period = 1;
  bool has_period = false;    // a period was given
  bool branches = true;       // all branches, and mispredicted ones
  bool last_branch = true;    // no samples: adds a branch stack to all samples
  bool first_level = true;    // accesses and misses of the first-level cache
  bool last_level = true;     // … of the last-level cache
  bool tlb = true;            // … of the TLB
  bool remote_access = true;  // accesses to another socket
  bool memory = true;         // all loads and stores
  friend bool operator==(const ItraceOptions&, const ItraceOptions&) = default;
};

// Parses letters with their values, such as "i1000i", "fm", "bl64". Sets the
// flags that the letters choose, and clears all others. Returns ItraceOptions()
// for an empty text. A period of 0 counts as 1.
//
// Ignores perf's letters for samples that are not made here (calls,
// transactions, errors, …), and numbers after letters other than "i". Fails
// with InvalidArgument for other letters, for periods that are not in
// instructions, and for periods above 2^64 - 1.
absl::StatusOr<ItraceOptions> ParseItraceOptions(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ITRACE_OPTIONS_H_
