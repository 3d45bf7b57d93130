// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sleep_tracker.h"

#include <algorithm>
#include <utility>

#include "converter/base/event_kind.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/joined_block.h"

namespace perf2x {

absl::Status SleepTracker::Apply(const RawRecord& record,
                                 std::optional<uint64_t> time,
                                 absl::Span<const uint64_t> deferred,
                                 bool* held) {
  *held = false;
  if (!time.has_value()) return absl::OkStatus();
  if (record.type == kRecordSwitch || record.type == kRecordSwitchCpuWide) {
    if ((record.misc & kMiscSwitchOut) != 0) return absl::OkStatus();
    return Wake(attrs_.TrailerOf(record).tid, *time);
  }
  if (record.type == ExitRecord::kType) DropSleepOf<ExitRecord>(record);
  // The last switch of a thread comes after its EXIT record.
  if (record.type == ForkRecord::kType) DropSleepOf<ForkRecord>(record);
  if (record.type != kRecordSample) return absl::OkStatus();
  const uint32_t event = attrs_.EventOf(record);
  if (event == kNoEvent) return absl::OkStatus();
  const RecordedEvent& recorded = attrs_.events()[event];
  SampleRecord sample;
  if (!Decode(record.body, record.order, record.misc, recorded.attr, &sample)) {
    return absl::OkStatus();  // will be counted
  }
  *held = recorded.kind == EventKind::kOffCpu;
  RETURN_IF_ERROR(Wake(sample.tid, *time));
  if (*held) Hold(sample.tid, record, *time, deferred);
  return absl::OkStatus();
}

// Returns the thread's sleep, which is no longer held; null: there is none.
std::unique_ptr<SleepTracker::Sleep> SleepTracker::Take(int32_t tid) {
  const auto found = sleeps_.find(tid);
  if (found == sleeps_.end()) return nullptr;
  std::unique_ptr<Sleep> sleep = std::move(found->second);
  sleeps_.erase(found);
  memory_ -= MemoryOf(*sleep);
  return sleep;
}

absl::Status SleepTracker::Wake(int32_t tid, uint64_t time) {
  const std::unique_ptr<Sleep> sleep = Take(tid);
  if (sleep == nullptr) return absl::OkStatus();
  sleep->record.block = &sleep->block;
  const uint64_t slept = std::max(time, sleep->since + 1) - sleep->since;
  if (tee_.waits_for_selection()) {
    RETURN_IF_ERROR(tee_.Observe(sleep->record, sleep->since));
  }
  const absl::Status status =
      samples_.ApplySleep(sleep->record, time, slept, sleep->deferred);
  tee_.ForgetSample();
  RETURN_IF_ERROR(status);
  return samples_.Flush();  // the record goes
}

// Drops the sleep of the thread that `record` says has exited, or is new.
template <class R>
void SleepTracker::DropSleepOf(const RawRecord& record) {
  R task;
  if (!Decode(record, &task, attrs_.TrailerSize(record))) return;
  const std::unique_ptr<Sleep> sleep = Take(task.tid);
  if (sleep == nullptr) return;
  diagnostics_.Add(Diagnostics::Severity::kNote,
                   "sleep that had not ended when the thread exited",
                   sleep->record.offset);
}

void SleepTracker::Hold(int32_t tid, const RawRecord& record, uint64_t time,
                        absl::Span<const uint64_t> deferred) {
  auto sleep = std::make_unique<Sleep>();
  sleep->record = record;
  sleep->record.key = nullptr;
  sleep->record.callchain = {};
  sleep->record.payload = {};
  // Not the whole block, which the thread would keep for as long as it sleeps.
  sleep->block = JoinedBlock(record.body, {});
  sleep->record.body = sleep->block->bytes();
  sleep->deferred.assign(deferred.begin(), deferred.end());
  sleep->since = time;
  memory_ += MemoryOf(*sleep);
  sleeps_[tid] = std::move(sleep);
}

void SleepTracker::EndRecords() {
  if (sleeps_.empty()) return;
  uint64_t first = ~uint64_t{0};
  for (const auto& [tid, sleep] : sleeps_) {
    first = std::min(first, sleep->record.offset);
  }
  diagnostics_.Add(Diagnostics::Severity::kNote,
                   "sleep that had not ended when the recording did", first,
                   /*bytes=*/0, sleeps_.size());
}

}  // namespace perf2x
