// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORD_COUNTS_H_
#define PERF2X_SESSION_RECORD_COUNTS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/model/model.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/ordered_reader.h"
#include "converter/perf/stream/record_reader.h"

namespace perf2x {

// Counts a recording's records by type, and the skipped ones (budget exhausted,
// unknown type). Keeps the first and the last time. Says when the caller must
// check the budget: see is_check_due. Not thread-safe.
class RecordCounts {
 public:
  // Both must outlive the counts.
  RecordCounts(Budget& budget, Diagnostics& diagnostics)
      : budget_(budget), diagnostics_(diagnostics) {}

  // Counts a record by type, unless it is replayed. Returns false if the caller
  // must skip the record, because the last CheckBudget found the budget
  // exhausted. Then also calls SkipForBudget. Does not call CountTowardCheck.
  bool Admit(const RawRecord& record) {
    Count(record);
    if (!skips_all_) return true;
    SkipForBudget(record.type, record.offset,
                  8 + record.body.size() + record.payload.size());
    return false;
  }
  // Counts a sample of `bytes` bytes, and calls CountTowardCheck.
  void CountSample(uint64_t bytes) {
    CountByType(bytes);
    CountTowardCheck(bytes);
  }
  // Counts a sample that is skipped because the budget is exhausted, also by
  // type. Does not call CountTowardCheck.
  void SkipSample(uint64_t offset, uint64_t bytes) {
    CountByType(bytes);
    SkipForBudget(kRecordSample, offset, bytes);
  }
  // Counts a record that is skipped because the budget is exhausted; not by
  // type. Ignores records that only perf itself needs, such as FINISHED_ROUND.
  void SkipForBudget(uint32_t type, uint64_t offset, uint64_t bytes);

  // Counts a record of `bytes` bytes, header included, for is_check_due.
  void CountTowardCheck(uint64_t bytes) {
    ++records_since_check_;
    bytes_since_check_ += bytes;
  }
  // Returns true after 4096 records or 1 MiB since the last CheckBudget. The
  // caller must then charge the budget for the records so far and call
  // CheckBudget. So the number of threads does not change which records are
  // skipped.
  bool is_check_due() const {
    return records_since_check_ >= kRecordsPerCheck ||
           bytes_since_check_ >= kBytesPerCheck;
  }
  // Checks the budget. If it is exhausted, records are skipped until the next
  // check.
  void CheckBudget() {
    records_since_check_ = bytes_since_check_ = 0;
    skips_all_ = budget_.exhausted();
  }
  // Returns true if the last CheckBudget found the budget exhausted.
  bool skips_all() const { return skips_all_; }

  // Counts, by type, records that the reader skipped because nothing uses them,
  // and notes their times. ReportSkipped does not include them.
  void CountSkipped(const OrderedReader::SkippedRecords& skipped);
  // Adds a diagnostic on a record of unknown type, which is skipped.
  void SkipUnknown(const RawRecord& record);

  // Notes the time of a record for first_time() and last_time(). Ignores an
  // absent time.
  void NoteTime(std::optional<uint64_t> time) {
    if (!time.has_value()) return;
    if (!first_time_ || *time < *first_time_) first_time_ = time;
    if (!last_time_ || *time > *last_time_) last_time_ = time;
  }
  // Return the first and the last time that was noted; absent: none was.
  std::optional<uint64_t> first_time() const { return first_time_; }
  std::optional<uint64_t> last_time() const { return last_time_; }

  // Returns true if a record of this type was counted.
  bool has(RecordType type) const { return counts_[type].records > 0; }
  // Returns the counts by type, ordered by type number. `bytes`, the reader's
  // account, has the counts of compressed records. Types beyond the first few
  // thousand share one entry, "UNKNOWN".
  std::vector<TraceSummary::RecordCount> ByType(const ByteAccount& bytes) const;
  // Adds a diagnostic on the records that were skipped because the budget was
  // exhausted, if there are any. To be called once.
  void ReportSkipped() const;

 private:
  struct Counts {
    uint64_t records = 0, bytes = 0;
  };
  void Count(const RawRecord& record);
  void CountByType(uint64_t sample_bytes) {
    Counts& samples = counts_[kRecordSample];
    ++samples.records;
    samples.bytes += sample_bytes;
  }

  static constexpr uint64_t kRecordsPerCheck = 4096, kBytesPerCheck = 1 << 20;

  Budget& budget_;
  Diagnostics& diagnostics_;
  std::array<Counts, 128> counts_{};        // by type
  std::map<uint32_t, Counts> rare_counts_;  // types from 128 on
  // The message for the unknown type that was seen last.
  std::optional<uint32_t> unknown_type_;
  std::string unknown_message_;
  std::optional<uint64_t> first_time_, last_time_;
  bool skips_all_ = false;
  uint64_t records_since_check_ = 0, bytes_since_check_ = 0;
  struct {
    uint64_t records = 0, bytes = 0, first_offset = 0;
    const char* resource = "";
  } skipped_;
};

// Returns the name of a record type as `perf report --stats` writes it: "ATTR",
// not "HEADER_ATTR". "UNKNOWN_123" if the type is not known.
std::string RecordTypeName(uint32_t type);

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORD_COUNTS_H_
