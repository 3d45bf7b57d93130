// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_ATTR_TABLE_H_
#define PERF2X_PERF_HEADER_ATTR_TABLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/header/event_ids.h"
#include "converter/perf/header/event_name_table.h"
#include "converter/perf/header/recorded_event.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/timed_record.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

// The events of a recording. Finds the event of a record, and the offsets of
// the id and the time in a record. An event keeps its index. References to
// events and attrs are valid until the next Observe() or AddTraceEvent(). Not
// thread-safe.
class AttrTable {
 public:
  // `diagnostics` must outlive the table. It counts what is skipped: damaged
  // records, events beyond kMaxEvents, ids beyond kMaxEventIds. It also counts
  // truncated names.
  explicit AttrTable(Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  // Reads records that describe events: HEADER_ATTR, HEADER_EVENT_TYPE,
  // HEADER_FEATURE, EVENT_UPDATE and simpleperf's EVENT_ID. Ignores all others.
  // To be called with each record of the recording, in order, before other
  // functions are called with it. Names in HEADER_EVENT_TYPE records are
  // applied when the next record of another type comes.
  void Observe(const RawRecord& record) {
    if (record.type >= kRecordUserFirst || names_.has_new_event_types()) {
      Learn(record);
    }
  }

  // Returns the recording's events, then the events that AddTraceEvent() added.
  const std::vector<RecordedEvent>& events() const { return events_; }
  // Returns the number of events() that AddTraceEvent() did not add.
  size_t recorded_events() const { return recorded_events_; }
  // Returns true for a recording of simpleperf's --trace-offcpu. Its
  // sched_switch samples show where threads begin to sleep. Their event's kind
  // is kOffCpu.
  bool traces_off_cpu() const { return traces_off_cpu_; }
  // Returns a number that changes whenever events() does.
  uint32_t version() const { return version_; }
  // Returns the indexes of events that are new or changed since the last call,
  // in order of first change, without duplicates. New ids of an event are no
  // change.
  std::vector<uint32_t> TakeChangedEvents();

  // Returns the index of the event that a record belongs to:
  // - user records, and all records before the first event: kNoEvent
  // - kernel records, if the recording has one event: that event
  // - samples: the event with the sample's id; kNoEvent if there is none
  // - other kernel records: the event with the id in the trailer; the first
  //   event if the id is missing, 0 or not known
  uint32_t EventOf(const RawRecord& record) const {
    if (record.type != kRecordSample || recorded_events_ < 2) {
      return EventOfSlow(record);
    }
    if (sample_id_offset_ < 0 ||
        sample_id_offset_ + size_t{8} > record.body.size()) {
      return kNoEvent;
    }
    return EventOfId(
        Load<uint64_t>(record.body.data() + sample_id_offset_, record.order));
  }
  // Adds an event of a hardware trace, without ids. Returns its index.
  // EventOf() never returns it. Not subject to kMaxEvents. Events that the
  // recording describes later are skipped, and counted.
  uint32_t AddTraceEvent(const EventAttr& attr, absl::string_view name);

  // See EventIds::EventOf.
  uint32_t EventOfId(uint64_t id) const { return ids_.EventOf(id); }

  // Returns the record's time, in ns of the recording's clock. Returns nullopt
  // for user records, for sums of off-CPU time, and if the record has no time.
  // A time of 0 counts as none: perf writes 0 for threads and mappings from
  // before the recording.
  std::optional<uint64_t> TimeOf(const RawRecord& record) const {
    return ClockTime(SortTimeOf(record));
  }

  // Returns the time by which the record is sorted: TimeOf() or, for sums of
  // off-CPU time, a value after all times of the clock (kFirstSortOnlyTime).
  std::optional<uint64_t> SortTimeOf(const RawRecord& record) const {
    const RecordedEvent* event = EventWithTimeOffset(record);
    if (event == nullptr) return std::nullopt;
    const size_t size = record.body.size();
    const bool sample = record.type == kRecordSample;
    const int place = sample ? event->layout.time : event->trailer.time;
    // The trailer lies at the end of the body.
    const size_t begin = sample ? 0 : size - event->trailer.size;
    if (place < 0 || begin > size || begin + place + 8 > size) {
      return std::nullopt;
    }
    const uint64_t time =
        Load<uint64_t>(record.body.data() + begin + place, record.order);
    // Times 0 and ~0 mean that the record has no time.
    if (time == 0 || time == ~uint64_t{0}) return std::nullopt;
    return time;
  }

  // Reads the key of a sample and finds its callchain, see
  // SampleLayout::ReadKey. If that fails, or the record is no sample, sets the
  // key's event to kNoEvent. Requires that to->Set() was called with `record`.
  void ReadKey(const RawRecord& record, TimedRecord* to) const {
    const uint32_t event =
        record.type == kRecordSample ? EventOf(record) : kNoEvent;
    if (event == kNoEvent ||
        !events_[event].layout.ReadKey(record, event,
                                       events_[event].default_period(), to)) {
      to->key.event = kNoEvent;
    }
  }

  // Returns where the fields of all trailers lie, except ids. Null if events
  // differ in that, or if there are none. Valid as long as references to
  // events.
  const TrailerLayout* common_trailer() const {
    return time_offsets_agree_ && recorded_events_ > 0
               ? &events_.front().trailer
               : nullptr;
  }
  // Returns the bytes of the sample_id trailer at the end of the body; at most
  // the size of the body. Returns 0 for samples and for records without a
  // trailer.
  size_t TrailerSize(const RawRecord& record) const;
  // Returns the decoded trailer; a default SampleId for a record without one.
  SampleId TrailerOf(const RawRecord& record) const;

  // Returns the attr to decode a record with: the attr of its event, or a
  // default EventAttr if EventOf() is kNoEvent.
  const EventAttr& AttrOf(const RawRecord& record) const;

 private:
  // Returns an event with the time offset of `record`: any event if all have
  // the same offset, else the event of `record`. Null if there is none.
  const RecordedEvent* EventWithTimeOffset(const RawRecord& record) const {
    if (record.type >= kRecordUserFirst) return nullptr;
    if (time_offsets_agree_) {
      return recorded_events_ == 0 ? nullptr : &events_.front();
    }
    const uint32_t event = EventOf(record);
    return event == kNoEvent ? nullptr : &events_[event];
  }
  uint32_t EventOfSlow(const RawRecord& record) const;
  void Learn(const RawRecord& record);
  void AddAttr(const RawRecord& record);
  void AddFeature(const RawRecord& record);
  void ApplyDescriptions();
  void TellApartByPmu();
  void Update(const RawRecord& record);
  void AddEventIds(const RawRecord& record);
  void ApplySimpleperfNames(const RawRecord& record);
  template <class Ids>
  void AddIds(uint32_t event, const Ids& ids);
  void SetPmuAndName(const std::vector<uint32_t>& events);
  void Changed(uint32_t event);
  void UpdateOffsets();

  Diagnostics* diagnostics_;
  std::vector<RecordedEvent> events_;
  size_t recorded_events_ = 0;  // the first ones of events_
  EventIds ids_;
  EventNameTable names_;
  // The entries of EVENT_DESC, in its order. Kept because their events may
  // come later: in pipes of perf before 4.17 the features come first.
  std::vector<EventDescription> descriptions_;
  uint32_t version_ = 0;
  int tell_apart_calls_ = 0;  // calls of TellApartByPmu; limited
  bool has_simpleperf_names_ = false;
  bool traces_off_cpu_ = false;
  std::vector<uint32_t> changed_;  // see TakeChangedEvents
  std::vector<bool> is_changed_;   // by event: it is in changed_

  // Byte offsets of the event's id: from the start of a SAMPLE's body, and back
  // from the end of other records. -1: no id. perf requires the same offsets
  // for all events.
  int sample_id_offset_ = -1;
  int trailer_id_offset_ = -1;
  // If set, the time lies at the same offset, and trailers have the same fields
  // except for ids, for all events.
  bool time_offsets_agree_ = true;
  EventAttr no_attr_;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_ATTR_TABLE_H_
