// SPDX-License-Identifier: Apache-2.0
#include "converter/session/record_tee.h"

#include <string>

#include "converter/base/status_macros.h"
#include "converter/perf/header/dump_record.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"
#include "converter/session/record_counts.h"

namespace perf2x {
namespace {

// The direction of a switch is in `misc`, not in the record's body.
void AppendSwitchFields(uint16_t misc, std::vector<Field>* fields) {
  const bool out = (misc & kMiscSwitchOut) != 0;
  fields->push_back({"switch", absl::string_view(out ? "out" : "in")});
  if (!out) return;
  const bool preempted = (misc & kMiscSwitchOutPreempt) != 0;
  fields->push_back({"preempted", uint64_t{preempted}});
}

// Appends a field unless it is a list.
void AppendPlainField(const DumpField& from, std::vector<Field>* fields) {
  Field field;
  field.name = from.name;
  switch (from.kind) {
    case DumpField::Kind::kNumber:
      field.value = from.number;
      break;
    case DumpField::Kind::kSigned:
      field.value = static_cast<int64_t>(from.number);
      break;
    case DumpField::Kind::kHex:
      field.value = Field::Hex{from.number};
      break;
    case DumpField::Kind::kText:
      field.value = from.text;
      break;
    default:
      return;
  }
  fields->push_back(field);
}

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
  const std::string type = RecordTypeName(record.type);
  event.type = type;
  event.time = time;
  ReadFields(record, &event);
  if (record.type == kRecordSwitch || record.type == kRecordSwitchCpuWide) {
    AppendSwitchFields(record.misc, &fields_);
  } else if (record.type == kRecordLostSamples &&
             (record.misc & kMiscLostSamplesBpf) != 0) {
    fields_.push_back({"dropped_by", absl::string_view("filter")});
  }
  event.fields = fields_;
  return sink_.Report(&Emitter::OnRecord, event);
}

// Sets the ids in `*event`, and puts all other fields into fields_.
void RecordTee::ReadFields(const RawRecord& record, RecordEvent* event) {
  fields_.clear();
  bool has_pid = false, has_tid = false, has_cpu = false;
  const auto set_once = [](bool* has, int32_t* to, uint64_t value) {
    if (!*has) *to = static_cast<int32_t>(value);
    *has = true;
  };
  DumpRecord(record, attrs_, [&](const DumpField& from) {
    const absl::string_view name = from.name;
    // The record's own fields come before those of its trailer.
    if (name == "pid") return set_once(&has_pid, &event->pid, from.number);
    if (name == "tid") return set_once(&has_tid, &event->tid, from.number);
    if (name == "cpu") return set_once(&has_cpu, &event->cpu, from.number);
    if (name == "time" || name == "cpu_reserved") return;
    AppendPlainField(from, &fields_);
  });
}

}  // namespace perf2x
