// SPDX-License-Identifier: Apache-2.0
#include "converter/session/record_counts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/perf/records/all_records.h"

namespace perf2x {
namespace {

// Stands for all further types once kMaxTypes rare ones have been counted.
constexpr uint32_t kOtherType = ~0u;

// Returns true if a conversion lacks something without a record of this type:
// values, a part of a trace, names, or how to read or name what it has.
bool HasData(uint32_t type) {
  switch (type) {
    case kRecordStat:
    case kRecordAuxtraceInfo:
    case kRecordAuxtrace:
    case kRecordTimeConv:
    case kRecordEventUpdate:
    case kRecordHeaderTracingData:
    case kRecordHeaderBuildId:
    case kRecordHeaderFeature:
      return true;
    default:
      return type < kRecordUserFirst || type >= kRecordSimpleperfFirst ||
             RecordName(type).empty();
  }
}

}  // namespace

std::string RecordTypeName(uint32_t type) {
  if (type == kOtherType) return "UNKNOWN";
  absl::string_view name = RecordName(type);
  absl::ConsumePrefix(&name, "HEADER_");
  return name.empty() ? absl::StrCat("UNKNOWN_", type) : std::string(name);
}

void RecordCounts::Count(const RawRecord& record) {
  if (record.replayed) return;
  // Damaged recordings may have any number of types.
  constexpr size_t kMaxTypes = 1024;
  uint32_t type = record.type;
  if (type >= counts_.size() && rare_counts_.size() >= kMaxTypes &&
      !rare_counts_.contains(type)) {
    type = kOtherType;
  }
  Counts& counts = type < counts_.size() ? counts_[type] : rare_counts_[type];
  ++counts.records;
  counts.bytes += 8 + record.body.size();
}

void RecordCounts::CountSkipped(const OrderedReader::SkippedRecords& skipped) {
  Counts& counts = counts_[skipped.type];
  counts.records += skipped.records;
  counts.bytes += skipped.bytes;
  NoteTime(skipped.first_time);
  NoteTime(skipped.last_time);
}

void RecordCounts::SkipForBudget(uint32_t type, uint64_t offset,
                                 uint64_t bytes) {
  if (!HasData(type)) return;
  if (skipped_.records++ == 0) {
    skipped_.first_offset = offset;
    skipped_.resource = budget_.exhausted_name();
  }
  skipped_.bytes += bytes;
}

void RecordCounts::SkipUnknown(const RawRecord& record) {
  // Damaged recordings may have any number of types.
  constexpr size_t kMaxNamed = 16;
  absl::string_view message = "record of unknown type";
  if (rare_counts_.size() <= kMaxNamed) {
    if (unknown_type_ != record.type) {
      unknown_type_ = record.type;
      unknown_message_ = absl::StrCat(message, " ", record.type);
    }
    message = unknown_message_;
  }
  diagnostics_.Add(Diagnostics::Severity::kSkipped, message, record.offset,
                   8 + record.body.size());
}

std::vector<TraceSummary::RecordCount> RecordCounts::ByType(
    const ByteAccount& bytes) const {
  std::array<Counts, 128> counts = counts_;
  counts[kRecordCompressed2] = {bytes.compressed2_records, bytes.compressed2};
  counts[kRecordCompressed] = {bytes.compressed_records,
                               bytes.compressed - bytes.compressed2};
  std::vector<TraceSummary::RecordCount> by_type;
  const auto append = [&by_type](uint32_t type, const Counts& c) {
    if (c.records == 0) return;
    by_type.push_back({RecordTypeName(type), c.records, c.bytes});
  };
  for (uint32_t type = 0; type < counts.size(); ++type) {
    append(type, counts[type]);
  }
  for (const auto& [type, c] : rare_counts_) append(type, c);
  return by_type;
}

void RecordCounts::ReportSkipped() const {
  CountSkippedForBudget("record", skipped_.resource, skipped_.records,
                        &diagnostics_, skipped_.first_offset, skipped_.bytes);
}

}  // namespace perf2x
