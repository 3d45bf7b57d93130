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
#include "converter/model/model.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/wire.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// Names task states as the recorded kernel prints them. Kernels differ in the
// numbers of states. Not thread-safe.
class TaskStates {
 public:
  // `print_format` is the "print fmt" of sched:sched_switch. If it names no
  // states, the states of Linux 4.14 and later are used. Ignores names of more
  // than 16 bytes. If a bit has several names, the first is used.
  explicit TaskStates(absl::string_view print_format);

  // Returns the letters of the states in `prev_state`, separated by "|", or "R"
  // if there are none: "S", "D|K", "R". A "+" follows if the task was
  // preempted. Valid until the next call.
  absl::string_view Letters(uint64_t prev_state);

 private:
  std::vector<std::pair<uint64_t, std::string>> flags_;
  uint64_t preempted_ = 0;  // all bits above those of the flags
  std::string letters_;
};

// A context switch or a wakeup, from a tracepoint of the scheduler.
struct SchedEvent {
  enum class Kind { kSwitch, kWakeup };
  Kind kind = Kind::kSwitch;
  int32_t tid = -1;         // thread switched out, or woken
  int32_t next_tid = -1;    // of kSwitch: thread switched in
  int32_t target_cpu = -1;  // of kWakeup; -1: not known
  absl::string_view state;  // of kSwitch, see TaskStates::Letters
};

// Decodes the scheduler's tracepoints. Not thread-safe.
class SchedEventDecoder {
 public:
  // Returns true for the tracepoints that Decode may decode.
  static bool IsSched(const TracepointName& tracepoint);
  // Returns true if samples with this attr tell how many hits of a tracepoint
  // they stand for. Only then can scheduling be followed.
  static bool CountsHits(const EventAttr& attr) {
    return !attr.freq() || (attr.sample_type & kSamplePeriod) != 0;
  }
  // The fields of sched_switch that Decode reads.
  struct SwitchFields {
    const TracepointFieldLayout& tid;
    const TracepointFieldLayout& next_tid;
    const TracepointFieldLayout& state;
  };
  // Returns the fields of a format, valid as long as it. Returns nullopt if it
  // is of another tracepoint or lacks a field.
  static std::optional<SwitchFields> FieldsOfSwitch(
      const TracepointFormat& format);
  // Decodes a tracepoint's payload. `format` must outlive this object. Returns
  // nullopt if the tracepoint is not a switch or a wakeup, or lacks a required
  // field. The result is valid until the next call.
  std::optional<SchedEvent> Decode(const TracepointFormat& format,
                                   absl::Span<const uint8_t> raw);

 private:
  struct Plan {
    SchedEvent::Kind kind = SchedEvent::Kind::kSwitch;
    // Null: the format lacks the field.
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
