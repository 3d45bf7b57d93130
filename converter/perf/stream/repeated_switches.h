// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_REPEATED_SWITCHES_H_
#define PERF2X_PERF_STREAM_REPEATED_SWITCHES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample_key.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

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
  // To be called with each record, in the order of the input, before the
  // functions below are called with it.
  void Observe(const RawRecord& record) {
    if (record.type != kRecordSample && record.type != kRecordSwitchCpuWide) {
      ObserveOther(record);
    }
  }
  // To be called with the key of each sample that is passed on, if it was read.
  // `is_switch`: the result of SchedKeyReader::Read.
  void OnSample(const SampleKey& key, bool is_switch) {
    Know({key.pid, key.tid});
    if (is_switch) OnSwitchSample(key);
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
  void ObserveOther(const RawRecord& record);
  void OnSwitchSample(const SampleKey& key);

  std::vector<CpuSwitch> on_cpu_;      // by CPU
  std::array<Known, kThreads> known_;  // by tid
  uint64_t round_ = 0;
  uint32_t losses_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_REPEATED_SWITCHES_H_
