// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORDING_FACTS_H_
#define PERF2X_SESSION_RECORDING_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/perf/header/attr_table.h"
#include "converter/session/counting_times.h"
#include "converter/session/stack_subset.h"

namespace perf2x {

// Facts about how a recording was made. Times are in ns.
struct RecordingFacts {
  // The settings with which one event was recorded, and how long it counted.
  struct EventRequest {
    // See EventKindOf().
    EventKind kind = EventKind::kSampled;
    // The attr's flags exclude_user and exclude_kernel.
    bool excludes_user = false, excludes_kernel = false;
    bool is_frequency = false;  // `period` is a frequency
    uint64_t period = 0;        // in the event's unit; or samples per second
    // How long its counters were enabled and counted, in ns; 0: not recorded.
    CountingTimes::Times counted;
  };
  std::vector<EventRequest> events;  // by index in the AttrTable
  std::string arch;                  // as uname -m prints it; empty: not known
  // The command line of `perf record`; empty: not known.
  std::vector<std::string> command_line;

  // The stacks of the samples, each with its number of samples.
  StackSubset stacks;
  // If set, all user callchains are from the kernel's frame-pointer unwinding.
  // None was truncated to a number of frames.
  bool follows_frame_pointers = false;
  // If set, samples have no callers: no event records callchains, user stack
  // dumps or branch stacks.
  bool lacks_call_graphs = false;
  bool has_branches = false;  // branch stacks were requested
  // Data addresses of samples were requested.
  bool has_data_addresses = false;
  bool has_branch_list = false;  // of simpleperf, in place of its trace
  // Memory accesses (Sample::access) that the output got; 0 unless it requires
  // them.
  uint64_t accesses = 0;
  // Largest requested size of user stack dumps in bytes
  // (PERF_SAMPLE_STACK_USER); 0: none requested.
  uint32_t dump_size = 0;
  // Stacks unwound from user stack dumps, and how many of them need more of the
  // stack than was dumped.
  uint64_t unwound_stacks = 0, incomplete_dumps = 0;
  bool has_kernel_map = false;      // a record maps the kernel proper
  uint64_t mapped_files = 0;        // distinct files that processes mapped
  bool has_counts = false;          // of `perf stat record`
  bool has_hardware_trace = false;  // AUX: Intel PT, Arm SPE, …
  // Part of the hardware trace was not decoded: see TraceTracker.
  bool has_undecoded_trace = false;
  // Calls that the output got (Emitter::OnCall), and calls that filters
  // dropped.
  uint64_t calls = 0, filtered_calls = 0;
  // When the first program that was started during the recording began and
  // ended. Absent: not recorded.
  std::optional<uint64_t> exec_time, exit_time;
  // Earliest and latest time of all records. Absent: no record has a time.
  std::optional<uint64_t> first_time, last_time;

  // Appends an EventRequest for each of `recorded`, and sets the facts that
  // follow from the attrs. To be called once. `has_stack_limit`: --max-stack
  // truncated callchains. `counted`: how long each event counted, by index in
  // `recorded`; may be shorter.
  void AddEvents(const std::vector<RecordedEvent>& recorded,
                 bool has_stack_limit,
                 const std::vector<CountingTimes::Times>& counted);
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORDING_FACTS_H_
