// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_SCHED_KEY_READER_H_
#define PERF2X_PERF_STREAM_SCHED_KEY_READER_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "converter/base/byte_order.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/timed_record.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

// Where the raw data of a sample tell of a switch or a wake-up: offsets in
// bytes of numbers of 4 bytes.
struct SchedPlaces {
  enum Kind : uint8_t { kNone, kSwitch, kWakeup } kind = kNone;
  uint32_t tid = 0;              // thread that goes out, or is woken
  uint32_t next_tid = 0;         // of kSwitch: thread that comes in
  uint32_t number = 0;           // SampleKey::sched_number
  uint32_t least = 0;            // bytes that the raw data must have
  ByteOrder order = kHostOrder;  // of the numbers
};

// Knows the events whose samples tell of switches and wake-ups. Not
// thread-safe.
class SchedTracepoints {
 public:
  virtual ~SchedTracepoints() = default;
  // To be called with each record that is not of the kernel, in the order of
  // the input. Returns true if results of PlacesOf may change.
  virtual bool Observe(const RawRecord& record) = 0;
  // Returns where samples of the event with this attr tell of a switch or a
  // wake-up.
  virtual SchedPlaces PlacesOf(const EventAttr& attr) const = 0;
};

// Reads from the raw data of samples who is switched or woken, while these are
// in the processor's cache. Not thread-safe.
class SchedKeyReader {
 public:
  explicit SchedKeyReader(std::unique_ptr<SchedTracepoints> tracepoints)
      : tracepoints_(std::move(tracepoints)) {}

  // To be called with each record that is no sample, in the order of the input.
  void Observe(const RawRecord& record) {
    if (record.type >= kRecordUserFirst && tracepoints_->Observe(record)) {
      ++changes_;
    }
  }
  // Sets key.sched_tid and key.sched_number of a sample, whose key was read, if
  // its raw data tell of a wake-up, or of a switch from the sample's own
  // thread. Returns true if samples of its event tell of switches. `order` is
  // the recording's byte order. `attrs` must always be the same table.
  bool Read(TimedRecord* sample, ByteOrder order, const AttrTable& attrs) {
    const SchedPlaces& places = PlacesOf(sample->key.event, attrs);
    if (places.kind == SchedPlaces::kNone) return false;
    ReadFrom(places, sample, order, attrs);
    return places.kind == SchedPlaces::kSwitch;
  }

 private:
  // Asks once for each event and each change of what is known.
  const SchedPlaces& PlacesOf(uint32_t event, const AttrTable& attrs) {
    const uint64_t version = uint64_t{changes_} << 32 | attrs.version();
    if (event >= answers_.size() || answers_[event].version != version) {
      Ask(event, version, attrs);
    }
    return answers_[event].places;
  }
  void Ask(uint32_t event, uint64_t version, const AttrTable& attrs);
  static void ReadFrom(const SchedPlaces& places, TimedRecord* sample,
                       ByteOrder order, const AttrTable& attrs);

  std::unique_ptr<SchedTracepoints> tracepoints_;
  uint32_t changes_ = 0;  // of what tracepoints_ knows
  struct Answer {
    uint64_t version = ~uint64_t{0};
    SchedPlaces places;
  };
  std::vector<Answer> answers_;  // by event
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_SCHED_KEY_READER_H_
