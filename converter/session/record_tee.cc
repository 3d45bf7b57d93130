// SPDX-License-Identifier: Apache-2.0
#include "converter/session/record_tee.h"

#include <type_traits>
#include <vector>

#include "absl/base/attributes.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"
#include "converter/session/record_counts.h"

namespace perf2x {
namespace {

// The direction of a switch is in `misc`, not in the record's body.
void AppendSwitchFields(uint16_t misc, FieldList* fields) {
  const bool out = (misc & kMiscSwitchOut) != 0;
  fields->Add("switch", absl::string_view(out ? "out" : "in"));
  if (!out) return;
  const bool preempted = (misc & kMiscSwitchOutPreempt) != 0;
  fields->Add("preempted", uint64_t{preempted});
}

// Sets the ids in a RecordEvent, and puts all other fields into a list. Names
// are known when this is compiled, as all is inlined. So finding the ids takes
// no time.
class FieldCollector {
 public:
  FieldCollector(RecordEvent* event, FieldList* fields)
      : event_(*event), fields_(*fields) {}

  // Adds a field: its value as a Field has it, and as a number.
  template <class T, class V>
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Add(absl::string_view name, T number,
                                        const V& value) {
    const auto id = static_cast<uint64_t>(number);
    if (name == "pid") return SetOnce(&has_pid_, &event_.pid, id);
    if (name == "tid") return SetOnce(&has_tid_, &event_.tid, id);
    if (name == "cpu") return SetOnce(&has_cpu_, &event_.cpu, id);
    if (name == "time" || name == "cpu_reserved") return;
    fields_.Add(name, value);
  }

 private:
  // The record's own fields come before those of its trailer.
  static void SetOnce(bool* has, int32_t* to, uint64_t value) {
    if (!*has) *to = static_cast<int32_t>(value);
    *has = true;
  }

  RecordEvent& event_;
  FieldList& fields_;
  bool has_pid_ = false, has_tid_ = false, has_cpu_ = false;
};

// The visitor (see kernel_records.h) that decodes a record and, at the same
// time, collects its fields: not callchains and the like, but those of the
// elements of a List.
class CollectingDecoder : public Decoder {
 public:
  CollectingDecoder(absl::Span<const uint8_t> bytes, const RawRecord& record,
                    const EventAttr& attr, FieldCollector* collector)
      : Decoder(bytes, record.order, record.misc, attr),
        collector_(*collector) {}

  template <class T>
  ABSL_ATTRIBUTE_ALWAYS_INLINE void operator()(const char* name, T& value) {
    Decoder::operator()(name, value);
    if constexpr (std::is_signed_v<T>) {
      collector_.Add(name, value, int64_t{value});
    } else {
      collector_.Add(name, value, uint64_t{value});
    }
  }
  template <class T>
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Hex(const char* name, T& value) {
    Decoder::Hex(name, value);
    collector_.Add(name, value, Field::Hex{value});
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Text(const char* name,
                                         absl::string_view& text) {
    Decoder::Text(name, text);
    collector_.Add(name, 0, text);
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void FixedText(const char* name, uint64_t n,
                                              absl::string_view& text) {
    Decoder::FixedText(name, n, text);
    collector_.Add(name, 0, text);
  }
  template <class E>
  void List(const char*, uint64_t n, std::vector<E>& elements) {
    elements.resize(in().CheckedCount(n, E::kSize));
    for (E& element : elements) E::Fields(*this, element);
  }

 private:
  FieldCollector& collector_;
};

}  // namespace

absl::Status RecordTee::Observe(const RawRecord& record,
                                std::optional<uint64_t> time) {
  held_ = selects_samples_ && record.type == kRecordSample ? &record : nullptr;
  held_time_ = time;
  return held_ == nullptr ? Report(record, time) : absl::OkStatus();
}

absl::Status RecordTee::KeepEarly(const RawRecord& record,
                                  std::optional<uint64_t> time) {
  // If no record before this limit has made the trace begin, it begins here.
  constexpr size_t kMaxEarly = 1 << 14, kMaxEarlyBytes = 4 << 20;
  early_.push_back({record, *record.block, time});
  early_bytes_ += 8 + record.body.size();
  return early_.size() < kMaxEarly && early_bytes_ < kMaxEarlyBytes
             ? absl::OkStatus()
             : sink_.EnsureBegun();
}

absl::Status RecordTee::ReportEarly() {
  for (EarlyRecord& early : std::exchange(early_, {})) {
    early.record.block = &early.block;
    RETURN_IF_ERROR(Report(early.record, early.time));
  }
  return absl::OkStatus();
}

absl::Status RecordTee::Report(const RawRecord& record,
                               std::optional<uint64_t> time) {
  if (record.replayed) return absl::OkStatus();
  if (!sink_.begun()) return KeepEarly(record, time);
  RecordEvent event;
  event.index = record.index;
  event.bytes = 8 + record.body.size();
  if (record.type != type_ || type_name_.empty()) {
    type_ = record.type;
    type_name_ = RecordTypeName(type_);
  }
  event.type_number = type_;
  event.type = type_name_;
  event.time = time;
  ReadFields(record, &event);
  if (record.type == kRecordSwitch || record.type == kRecordSwitchCpuWide) {
    AppendSwitchFields(record.misc, &fields_);
  } else if (record.type == kRecordLostSamples &&
             (record.misc & kMiscLostSamplesBpf) != 0) {
    fields_.Add("dropped_by", absl::string_view("filter"));
  }
  event.fields = fields_.fields();
  return sink_.ReportRecord(event);
}

// Sets the ids in `*event`, and puts all other fields into fields_. A record
// that is too short for its fields has none.
void RecordTee::ReadFields(const RawRecord& record, RecordEvent* event) {
  fields_.Clear();
  const EventAttr& attr = attrs_.AttrOf(record);
  const size_t trailer = attrs_.TrailerSize(record);
  const absl::Span<const uint8_t> body = record.body;
  FieldCollector collector(event, &fields_);
  bool is_complete = true;
  const auto collect = [&](auto& decoded) {
    CollectingDecoder decoder(body.first(body.size() - trailer), record, attr,
                              &collector);
    std::decay_t<decltype(decoded)>::Fields(decoder, decoded);
    is_complete = decoder.ok();
  };
  if (record.type == kRecordSample) {
    collect(sample_);
  } else {
    AllRecords::Visit(record.type, [&](auto&& decoded) { collect(decoded); });
  }
  if (!is_complete) {
    fields_.Clear();
    event->pid = event->tid = event->cpu = -1;
  } else if (trailer > 0) {
    CollectingDecoder decoder(body.last(trailer), record, attr, &collector);
    SampleId id;
    SampleId::Fields(decoder, id);
  }
}

}  // namespace perf2x
