// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORDING_FACTS_H_
#define PERF2X_SESSION_RECORDING_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/perf/header/attr_table.h"
#include "converter/session/counting_times.h"
#include "converter/session/stack_sample.h"

namespace perf2x {

// What a recording says of how it was made. Times are ns.
struct RecordingFacts {
  // What was asked for of an event, by EventId.
  struct EventRequest {
    EventKind kind = EventKind::kSampled;
    bool excludes_user = false, excludes_kernel = false;
    bool is_frequency = false;
    uint64_t period = 0;  // or samples a second
    CountingTimes::Times counted;
  };
  std::vector<EventRequest> events;
  std::string arch;
  std::vector<std::string> command_line;

  StackSample stacks;
  // If set, user callchains are whole as far as the kernel followed frame
  // pointers: no other way to get them was used, and none was cut.
  bool follows_frame_pointers = false;
  // If set, samples of programs have the address that was sampled and nothing
  // of its callers.
  bool lacks_call_graphs = false;
  bool has_branches = false;  // branch stacks were asked for
  // Bytes of the user stack that were asked for (PERF_SAMPLE_STACK_USER).
  uint32_t dump_size = 0;
  // Stacks unwound from such dumps, and those of them that need more of the
  // stack than was dumped.
  uint64_t unwound_stacks = 0, cut_stacks = 0;
  bool has_kernel_map = false;      // of the kernel proper
  bool has_counts = false;          // of `perf stat record`
  bool has_hardware_trace = false;  // AUX: Intel PT, Arm SPE, …
  // When the first program that was started while recording began and ended.
  std::optional<uint64_t> exec_time, exit_time;
  std::optional<uint64_t> first_time, last_time;  // of all records

  // Sets what the attrs of `recorded` say. `cuts_stacks`: callchains were cut
  // when they were read; `counted`: how long events counted, by event.
  void AddEvents(const std::vector<RecordedEvent>& recorded, bool cuts_stacks,
                 const std::vector<CountingTimes::Times>& counted);
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORDING_FACTS_H_
