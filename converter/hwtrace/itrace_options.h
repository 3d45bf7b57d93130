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
  // The unit of `period`. kDefault: `period` is not used; the kind of trace
  // determines the period.
  enum class Unit : uint8_t { kDefault, kInstructions, kNanoseconds };

  // The kernel's own default (kernel.perf_event_max_stack), and perf's limit.
  static constexpr uint32_t kDefaultCallchain = 127, kMaxCallchain = 1024;

  bool instructions = true;  // executed instructions, one in each `period`
  // Instructions or ns for each sample of `instructions`. For traces of sampled
  // instructions (Arm SPE), counts only these.
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
  // For traces that have all branches: make samples of calls or of returns
  // only. Formats that show calls get both as calls instead. If neither is set,
  // `branches` makes samples of all branches.
  bool calls = false, returns = false;
  // The most addresses in the callchains that samples get, for traces that have
  // all branches. 0: no callchains.
  uint32_t callchain = kDefaultCallchain;
  // Set if the user chose the flags. If unset, traces that have all branches do
  // not get a sample for each branch.
  bool is_explicit = false;

  // Returns the number of a trace's sampled instructions (Arm SPE records) for
  // each sample of `instructions`. It is 1 unless `unit` is kInstructions.
  uint64_t records_per_sample() const {
    return unit == Unit::kInstructions ? period : 1;
  }
  friend bool operator==(const ItraceOptions&, const ItraceOptions&) = default;
};

// Parses letters with their values, such as "i1000i", "fm", "bl64". Sets the
// flags that the letters choose, and clears all others. Returns ItraceOptions()
// for an empty text. A period of 0 counts as 1.
//
// A period is in instructions ("i"), "ms", "us" or "ns", the default. Without
// one, the kind of trace determines it.
//
// Ignores perf's letters that no decoder here supports (errors, …), and numbers
// after letters other than "i" and "g". Fails with InvalidArgument for
// all other letters, for periods in ticks and for periods that exceed 64 bits.
absl::StatusOr<ItraceOptions> ParseItraceOptions(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ITRACE_OPTIONS_H_
