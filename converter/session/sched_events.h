// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SCHED_EVENTS_H_
#define PERF2X_SESSION_SCHED_EVENTS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/model/model.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample_key.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/sched_key_reader.h"
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
  absl::string_view Letters(uint64_t prev_state) {
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
    Spelled& known = recent_[prev_state * kOdd >> (64 - kRecentBits)];
    if (known.state != prev_state || known.letters.empty()) {
      Spell(prev_state, &known);
    }
    return known.letters;
  }

 private:
  struct Spelled {
    uint64_t state = 0;
    std::string letters;  // empty: none yet
  };
  static constexpr int kRecentBits = 4;

  void Spell(uint64_t prev_state, Spelled* to) const;

  std::vector<std::pair<uint64_t, std::string>> flags_;
  uint64_t preempted_ = 0;  // all bits above those of the flags
  // Results, by a hash of the state: threads leave in few states.
  std::array<Spelled, 1 << kRecentBits> recent_;
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

// The numbers in the payload of a SchedEvent.
struct SchedNumbers {
  int32_t tid = -1, next_tid = -1, target_cpu = -1;  // see SchedEvent
  uint32_t state = 0;  // of a switch: argument of TaskStates::Letters
};

// Decodes the payloads of one of the scheduler's tracepoints. Not thread-safe.
class SchedPayloads {
 public:
  // Returns null if the tracepoint is not a switch or a wakeup. `format` must
  // outlive the result.
  static std::unique_ptr<SchedPayloads> Of(const TracepointFormat& format);

  // Sets all of `*numbers`. Returns false if the payload lacks a required
  // field; `*numbers` is then undefined.
  bool Decode(absl::Span<const uint8_t> raw, SchedNumbers* numbers) const {
    if (!Read(tid_, raw, &numbers->tid)) return false;
    numbers->next_tid = numbers->target_cpu = -1;
    numbers->state = 0;
    if (kind_ == SchedEvent::Kind::kWakeup) {
      Read(target_cpu_, raw, &numbers->target_cpu);
      return true;
    }
    int32_t state;
    if (!Read(next_tid_, raw, &numbers->next_tid) ||
        !Read(state_, raw, &state)) {
      return false;
    }
    numbers->state = static_cast<uint32_t>(state) & kStateBits;
    return true;
  }
  // Returns where raw data have the numbers; of no kind if not all of them lie
  // at fixed places.
  SchedPlaces Places() const;
  // Returns what Decode would return for the raw data of a sample with this
  // key, whose sched_tid was read.
  SchedNumbers NumbersOf(const SampleKey& key) const {
    SchedNumbers numbers;
    if (kind_ == SchedEvent::Kind::kWakeup) {
      numbers.tid = key.sched_tid;
      numbers.target_cpu = static_cast<int32_t>(key.sched_number);
    } else {
      numbers.tid = key.tid;
      numbers.next_tid = key.sched_tid;
      numbers.state = key.sched_number & kStateBits;
    }
    return numbers;
  }
  // Returns the event with these results of Decode. Its text is valid until the
  // next call.
  SchedEvent EventOf(const SchedNumbers& numbers) {
    SchedEvent event;
    event.kind = kind_;
    event.tid = numbers.tid;
    event.next_tid = numbers.next_tid;
    event.target_cpu = numbers.target_cpu;
    if (kind_ == SchedEvent::Kind::kSwitch) {
      event.state = states_->Letters(numbers.state);
    }
    return event;
  }
  // Returns the thread that is switched in, or woken.
  int32_t NextTid(const SchedNumbers& numbers) const {
    return kind_ == SchedEvent::Kind::kSwitch ? numbers.next_tid : numbers.tid;
  }

 private:
  // The state is a long, of which 32-bit kernels have only the low half.
  static constexpr uint32_t kStateBits = 0x7fffffff;
  struct Field {
    const TracepointFieldLayout* layout = nullptr;  // null: there is none
    // Of a number at a fixed place, in bytes; size 0: another field.
    uint32_t offset = 0, size = 0;
  };

  SchedPayloads(const TracepointFormat& format, SchedEvent::Kind kind);
  Field FieldOf(absl::string_view name) const;
  // Sets `*value` to the low half of a field's value. Returns false, and does
  // nothing, if the payload lacks the field. No std::optional: GCC 12 stores
  // one in two pieces and loads it as one, which has to wait for both.
  bool Read(const Field& field, absl::Span<const uint8_t> raw,
            int32_t* value) const {
    if (uint64_t{field.offset} + field.size <= raw.size()) {
      const uint8_t* const at = raw.data() + field.offset;
      const ByteOrder order = format_.order();
      if (field.size == 4) {
        *value = static_cast<int32_t>(Load<uint32_t>(at, order));
        return true;
      }
      if (field.size == 8) {
        *value = static_cast<int32_t>(Load<uint64_t>(at, order));
        return true;
      }
    }
    return ReadSlowly(field, raw, value);
  }
  bool ReadSlowly(const Field& field, absl::Span<const uint8_t> raw,
                  int32_t* value) const;

  const TracepointFormat& format_;
  const SchedEvent::Kind kind_;
  Field tid_, next_tid_, target_cpu_, state_;
  std::optional<TaskStates> states_;  // of a switch
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
  // Returns SchedPayloads::Of(format), which is made once. Valid as long as
  // this. `format` must outlive this.
  SchedPayloads* PayloadsOf(const TracepointFormat& format) {
    const auto [it, inserted] = payloads_.try_emplace(&format);
    if (inserted) it->second = SchedPayloads::Of(format);
    return it->second.get();
  }

 private:
  absl::flat_hash_map<const TracepointFormat*, std::unique_ptr<SchedPayloads>>
      payloads_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SCHED_EVENTS_H_
