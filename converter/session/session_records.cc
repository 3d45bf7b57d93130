// The part of Session that counts records and shows them as they are.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/perf/all_records.h"
#include "converter/perf/dump.h"
#include "converter/perf/user_records.h"
#include "converter/perf/wire.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

// As `perf report --stats` calls it: ATTR, not HEADER_ATTR.
std::string TypeName(uint32_t type) {
  absl::string_view name = RecordName(type);
  absl::ConsumePrefix(&name, "HEADER_");
  return name.empty() ? absl::StrCat("UNKNOWN_", type) : std::string(name);
}

// Which way a switch went is not in its body.
void AddSwitchFields(uint16_t misc, std::vector<Field>* fields) {
  const bool out = (misc & kMiscSwitchOut) != 0;
  fields->push_back({"switch", absl::string_view(out ? "out" : "in")});
  if (!out) return;
  const bool preempted = (misc & kMiscSwitchOutPreempt) != 0;
  fields->push_back({"preempted", uint64_t{preempted}});
}

}  // namespace

void Session::CountRecord(const RawRecord& record) {
  if (record.replayed) return;
  Count& count = record.type < counts_.size() ? counts_[record.type]
                                              : more_counts_[record.type];
  ++count.records;
  count.bytes += 8 + record.body.size();
}

void Session::CountLeftOut(const OrderedReader::LeftOut& left_out) {
  Count& count = counts_[left_out.type];
  count.records += left_out.records;
  count.bytes += left_out.bytes;
  NoteTime(left_out.first_time);
  NoteTime(left_out.last_time);
}

void Session::SummarizeRecords(const ByteAccount& bytes) {
  counts_[kRecordCompressed2] = {bytes.compressed2_records, bytes.compressed2};
  counts_[kRecordCompressed] = {bytes.compressed_records,
                                bytes.compressed - bytes.compressed2};
  auto add = [&](uint32_t type, const Count& count) {
    if (count.records == 0) return;
    summary_.records.push_back({TypeName(type), count.records, count.bytes});
  };
  for (uint32_t type = 0; type < counts_.size(); ++type) {
    add(type, counts_[type]);
  }
  for (const auto& [type, count] : more_counts_) add(type, count);
}

// Tells the emitter of a record with its plain fields; lists (callchains,
// registers, raw data) are left to Sample.
absl::Status Session::TellRecord(const RawRecord& record,
                                 std::optional<uint64_t> time) {
  if (record.replayed) return absl::OkStatus();
  if (!begun_) {
    early_records_.push_back({record, *record.block, time});
    return absl::OkStatus();
  }
  RecordEvent event;
  event.index = record.index;
  event.bytes = 8 + record.body.size();
  const std::string type = TypeName(record.type);
  event.type = type;
  event.time = time;
  record_fields_.clear();
  bool has_pid = false, has_tid = false, has_cpu = false;
  auto set_once = [](bool* has, int32_t* to, uint64_t value) {
    if (!*has) *to = static_cast<int32_t>(value);
    *has = true;
  };
  DumpRecord(record, attrs_, [&](const DumpField& from) {
    const absl::string_view name = from.name;
    // The record's own come before those of its trailer.
    if (name == "pid") return set_once(&has_pid, &event.pid, from.number);
    if (name == "tid") return set_once(&has_tid, &event.tid, from.number);
    if (name == "cpu") return set_once(&has_cpu, &event.cpu, from.number);
    if (name == "time" || name == "cpu_reserved") return;
    Field field;
    field.name = name;
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
    record_fields_.push_back(field);
  });
  if (record.type == kRecordSwitch || record.type == kRecordSwitchCpuWide) {
    AddSwitchFields(record.misc, &record_fields_);
  } else if (record.type == kRecordLostSamples &&
             (record.misc & kMiscLostSamplesBpf) != 0) {
    record_fields_.push_back({"dropped_by", absl::string_view("filter")});
  }
  event.fields = record_fields_;
  return emitter_.OnRecord(event);
}

}  // namespace perf2x
