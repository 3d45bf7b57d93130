// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SCHED_EVENTS_H_
#define PERF2X_SESSION_SCHED_EVENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// The names of a task's states, as the kernel that was recorded prints them:
// older kernels number them otherwise.
class TaskStates {
 public:
  // `print_format` is that of sched:sched_switch.
  explicit TaskStates(absl::string_view print_format);

  // "S", "D|K", "R"; with a "+" behind for a task that was preempted. Valid
  // until the next call.
  absl::string_view Letters(uint64_t prev_state);

 private:
  std::vector<std::pair<uint64_t, std::string>> flags_;
  uint64_t preempted_ = 0;  // all bits above those of the flags
  std::string letters_;
};

// What the scheduler's tracepoints say of who runs and who could.
struct SchedEvent {
  enum class Kind { kSwitch, kWakeup };
  Kind kind = Kind::kSwitch;
  int32_t tid = -1;         // who was switched out, or woken
  int32_t next_tid = -1;    // of kSwitch
  int32_t target_cpu = -1;  // of kWakeup
  absl::string_view state;  // of kSwitch, as TaskStates names it
};

class SchedEvents {
 public:
  // Absent when the event is none of the scheduler's that matter here, or its
  // payload is cut short. Valid until the next call.
  std::optional<SchedEvent> Decode(const TracepointFormat& format,
                                   absl::Span<const uint8_t> raw);

 private:
  struct Plan {
    SchedEvent::Kind kind = SchedEvent::Kind::kSwitch;
    // Null: not there.
    const TracepointFieldLayout* tid = nullptr;
    const TracepointFieldLayout* next_tid = nullptr;
    const TracepointFieldLayout* target_cpu = nullptr;
    const TracepointFieldLayout* state = nullptr;
    std::optional<TaskStates> states;
  };
  static std::optional<Plan> PlanFor(const TracepointFormat& format);

  absl::flat_hash_map<const TracepointFormat*, std::optional<Plan>> plans_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SCHED_EVENTS_H_
