// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_REPEATED_SWITCHES_H_
#define PERF2X_PERF_STREAM_REPEATED_SWITCHES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/timed_record.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

// Where the raw data of a sample say which thread leaves its CPU and which one
// comes: offsets in bytes of two tids, which are int32_t.
struct SwitchPlaces {
  uint32_t from = 0, to = 0;
  // Bytes that the raw data must have; 0: they do not tell of a switch.
  uint32_t least = 0;
};

// Knows the events whose samples say which threads are switched. Not
// thread-safe.
class SwitchEvents {
 public:
  virtual ~SwitchEvents() = default;
  // To be called with each record that is not of the kernel, in the order of
  // the input. Returns true if results of PlacesOf may change.
  virtual bool Observe(const RawRecord& record) = 0;
  // Returns where samples of the event with this attr tell of a switch.
  virtual SwitchPlaces PlacesOf(const EventAttr& attr) const = 0;
};

// Finds SWITCH_CPU_WIDE records that repeat the sample of a switch. On one CPU,
// the sample of a thread comes first. The record that this thread goes out
// follows, then the record that the next one comes in. With `perf record -a`,
// nearly all switches of a scheduler trace have these three.
//
// A record that names a thread which may be new to the consumer is no
// repetition. A thread is known from two rounds after the round whose records
// name it: by then, these come earlier in time order (TimeOrder). So recordings
// without rounds have no repetitions. Not thread-safe.
class RepeatedSwitches {
 public:
  explicit RepeatedSwitches(std::unique_ptr<SwitchEvents> events)
      : events_(std::move(events)) {}

  // To be called with each record, in the order of the input, before the
  // functions below are called with it.
  void Observe(const RawRecord& record) {
    if (record.type != kRecordSample && record.type != kRecordSwitchCpuWide) {
      ObserveOther(record);
    }
  }
  // To be called with each sample that is passed on, if its key was read.
  // `order` is the recording's byte order. `attrs` must always be the same
  // table.
  void OnSample(const TimedRecord& sample, ByteOrder order,
                const AttrTable& attrs) {
    Know({sample.key.pid, sample.key.tid});
    const SwitchPlaces& places = PlacesOf(sample.key.event, attrs);
    if (places.least != 0) OnSwitchSample(sample, order, places, attrs);
  }
  // Returns true if the record, a SWITCH_CPU_WIDE, is a repetition. To be
  // called once for each of these records; the caller must pass on the others.
  bool IsRepetition(const RawRecord& record, const AttrTable& attrs);

 private:
  struct ThreadKey {
    int32_t pid = -1, tid = -1;
    friend bool operator==(const ThreadKey&, const ThreadKey&) = default;
  };
  // A switch on a CPU of which a part was seen.
  struct CpuSwitch {
    ThreadKey from, to;  // the pid of `to` is known from kOut on
    enum : uint8_t { kNone, kSampled, kOut } seen = kNone;
    uint32_t losses = 0;  // value of losses_ at the sample
  };
  struct Known {
    ThreadKey thread;
    uint64_t since = 0;  // the round
  };
  static constexpr size_t kMaxCpus = 4096, kThreads = 8192;

  Known& SlotOf(int32_t tid) {
    return known_[static_cast<uint32_t>(tid) % kThreads];
  }
  // Returns true if the thread was known.
  bool Know(const ThreadKey& thread) {
    Known& slot = SlotOf(thread.tid);
    if (slot.thread == thread) return slot.since + 2 <= round_;
    slot = {thread, round_};
    return false;
  }
  // Asks once for each event and each change of what is known.
  const SwitchPlaces& PlacesOf(uint32_t event, const AttrTable& attrs) {
    const uint64_t version = uint64_t{changes_} << 32 | attrs.version();
    if (event >= answers_.size() || answers_[event].version != version) {
      Ask(event, version, attrs);
    }
    return answers_[event].places;
  }
  void ObserveOther(const RawRecord& record);
  void Ask(uint32_t event, uint64_t version, const AttrTable& attrs);
  void OnSwitchSample(const TimedRecord& sample, ByteOrder order,
                      const SwitchPlaces& places, const AttrTable& attrs);

  std::unique_ptr<SwitchEvents> events_;
  uint32_t changes_ = 0;  // of what events_ knows
  struct Answer {
    uint64_t version = ~uint64_t{0};
    SwitchPlaces places;
  };
  std::vector<Answer> answers_;        // by event
  std::vector<CpuSwitch> on_cpu_;      // by CPU
  std::array<Known, kThreads> known_;  // by tid
  uint64_t round_ = 0;
  uint32_t losses_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_REPEATED_SWITCHES_H_
