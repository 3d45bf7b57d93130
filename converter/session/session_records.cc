// The part of Session that counts records and shows them as they are.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/perf/header/dump_record.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

// Stands for all types beyond a number of unknown ones.
constexpr uint32_t kOtherType = ~0u;

// As `perf report --stats` calls it: ATTR, not HEADER_ATTR.
std::string TypeName(uint32_t type) {
  if (type == kOtherType) return "UNKNOWN";
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
  // Damaged recordings may have any number of types.
  constexpr size_t kMaxTypes = 1024;
  uint32_t type = record.type;
  if (type >= counts_.size() && more_counts_.size() >= kMaxTypes &&
      more_counts_.count(type) == 0) {
    type = kOtherType;
  }
  Count& count = type < counts_.size() ? counts_[type] : more_counts_[type];
  ++count.records;
  count.bytes += 8 + record.body.size();
}

void Session::SkipForBudget(uint32_t type, uint64_t offset, uint64_t bytes) {
  if (type >= kRecordUserFirst) return;  // says nothing of what was recorded
  if (skipped_.records++ == 0) {
    skipped_.first_offset = offset;
    skipped_.resource = budget_.exhausted_name();
  }
  skipped_.bytes += bytes;
}

// Beside what the tables say, of things that each take bytes of the input but
// may take far more here.
void Session::AccountForMemory() {
  SpendWork();
  constexpr uint64_t kOfEvent = 512, kOfReading = 128;
  memory_.Set(tables_.memory() + threads_.memory() + address_spaces_.memory() +
              fields_.memory() + lbr_stacks_.memory() +
              deferred_stacks_.memory() + tables_.events.size() * kOfEvent +
              event_bytes_ +
              (read_deltas_.size() + readings_.size()) * kOfReading);
}

void Session::CountSkipped(const OrderedReader::SkippedParts& skipped) {
  Count& count = counts_[skipped.type];
  count.records += skipped.records;
  count.bytes += skipped.bytes;
  NoteTime(skipped.first_time);
  NoteTime(skipped.last_time);
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
absl::Status Session::ReportRecord(const RawRecord& record,
                                   std::optional<uint64_t> time) {
  if (record.replayed) return absl::OkStatus();
  if (!begun_) {
    // Nothing is said of threads for so long: what is known has to do.
    constexpr size_t kMaxEarly = 1 << 14, kMaxEarlyBytes = 4 << 20;
    early_records_.push_back({record, *record.block, time});
    early_bytes_ += 8 + record.body.size();
    return early_records_.size() < kMaxEarly && early_bytes_ < kMaxEarlyBytes
               ? absl::OkStatus()
               : Begin();
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
