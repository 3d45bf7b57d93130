// SPDX-License-Identifier: Apache-2.0
#include "converter/session/counter_tracker.h"

#include <cmath>

#include "converter/base/status_macros.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/skip_record.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

absl::Status CounterTracker::Apply(const ReadRecord& read,
                                   const RecordContext& context) {
  if (const EventId event = attrs_.EventOf(context.raw); event != kNoEvent) {
    times_.SetTotals({context.id.id, read.tid}, event, read.read.time_enabled,
                     read.read.time_running);
  }
  if (!sink_.requirements().counters) return absl::OkStatus();
  return ReportReadings(read.read, context.id.id,
                        threads_.GetThread(read.pid, read.tid),
                        static_cast<int32_t>(context.id.cpu), context);
}

absl::Status CounterTracker::ApplySample(const SampleRecord& sample,
                                         EventId event,
                                         const RecordContext& context) {
  const EventAttr& attr = attrs_.events()[event].attr;
  times_.SetTotals({sample.id, attr.inherit() ? sample.tid : -1}, event,
                   sample.read.time_enabled, sample.read.time_running);
  if (!sink_.requirements().counters) return absl::OkStatus();
  return ReportReadings(sample.read, sample.id,
                        threads_.GetThread(sample.pid, sample.tid),
                        static_cast<int32_t>(sample.cpu), context);
}

// Reports the counters of a reading, which has the value of each and, if
// recorded, its id.
absl::Status CounterTracker::ReportReadings(const ReadValues& read,
                                            uint64_t own_id,
                                            ThreadState& thread, int32_t cpu,
                                            const RecordContext& context) {
  const EventAttr& attr = attrs_.AttrOf(context.raw);
  const uint64_t format = attr.read_format;
  // An inherited event counts each thread separately, under one id.
  const bool a_thread = attr.inherit() || context.raw.type == kRecordRead;
  // A thread may have a counter on each CPU, which is enabled but stands still
  // while the thread runs on another CPU. That is no multiplexing, so readings
  // of a thread are not scaled up, as in perf.
  const uint64_t running =
      a_thread && read.time_running > 0 ? read.time_enabled : read.time_running;
  Counter counter;
  counter.cpu = a_thread ? -1 : cpu;
  if (counter.cpu < 0) {
    ASSIGN_OR_RETURN(counter.thread, threads_.Announce(thread, context.time));
  }
  const auto report = [&](uint64_t id, uint64_t value) -> absl::Status {
    counter.event = attrs_.EventOfId(id);
    if (counter.event == kNoEvent) counter.event = attrs_.EventOf(context.raw);
    if (counter.event == kNoEvent) return absl::OkStatus();
    return Report(id, a_thread ? thread.tid : -1,
                  {.time = context.time,
                   .value = value,
                   .enabled = read.time_enabled,
                   .running = running,
                   .made = std::nullopt},
                  &counter);
  };
  if ((format & kReadGroup) == 0) {
    return report((format & kReadId) ? read.id : own_id, read.value);
  }
  const size_t stride = ReadValues::Stride(format);
  for (size_t i = 0; i + stride <= read.members.size(); i += stride) {
    // Without ids, the members cannot be told apart.
    if ((format & kReadId) == 0 && i > 0) break;
    RETURN_IF_ERROR(report((format & kReadId) ? read.members[i + 1] : own_id,
                           read.members[i]));
  }
  return absl::OkStatus();
}

absl::Status CounterTracker::Report(uint64_t id, int32_t reader_tid,
                                    const CounterReading& reading,
                                    Counter* counter) {
  const auto growth = readings_.Update({id, reader_tid}, reading);
  if (!growth.has_value()) return absl::OkStatus();
  counter->time = reading.time;
  counter->since = growth->since;
  counter->value = growth->value * attrs_.events()[counter->event].scale;
  if (growth->restarted) {
    diagnostics_.Add(Diagnostics::Severity::kNote,
                     "counter runs backwards; counted from 0 again");
  }
  if (!std::isfinite(counter->value)) {
    diagnostics_.Add(Diagnostics::Severity::kSkipped,
                     "counter value that is no number once it is scaled");
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(sink_.EnsureBegun());
  Counter reported = *counter;
  reported.event = events_.IdOf(counter->event);
  return sink_.Report(&Emitter::OnCounter, reported);
}

// `perf stat record` writes the values of a round, then a STAT_ROUND record
// with the time in ns since perf stat began: write_stat_round_event() in
// tools/perf/builtin-stat.c.
absl::Status CounterTracker::ApplyStat(const RawRecord& record) {
  const auto decode = [&record](auto* to) { return Decode(record, to); };
  if (record.type == kRecordThreadMap) {
    ThreadMapRecord map;
    if (decode(&map)) {
      SetStatThreads(map);
    } else {
      CountSkippedRecord(record, kShorterThanItsFields, &diagnostics_);
    }
  } else if (record.type == kRecordStat) {
    StatRecord stat;
    if (decode(&stat)) {
      AddStat(stat, record);
    } else {
      CountSkippedRecord(record, kShorterThanItsFields, &diagnostics_);
    }
  } else if (record.type == kRecordStatRound) {
    StatRoundRecord round;
    if (decode(&round)) return ReportRound(round.time);
    CountSkippedRecord(record, kShorterThanItsFields, &diagnostics_);
  }
  return absl::OkStatus();
}

void CounterTracker::AddStat(const StatRecord& stat, const RawRecord& record) {
  // Limit for the values that wait for the end of their round; more than any
  // machine has counters.
  constexpr size_t kMaxStatValues = 1 << 20;
  const EventId event = attrs_.EventOfId(stat.id);
  if (stat.id == 0) {
    diagnostics_.Add(Diagnostics::Severity::kNote,
                     "STAT record of an event that perf itself counted",
                     record.offset);
  } else if (event == kNoEvent) {
    CountSkippedRecord(record, "of an event that is not known", &diagnostics_);
  } else if (stat_values_.size() == kMaxStatValues) {
    CountSkippedRecord(record, "of a round that does not end", &diagnostics_);
  } else {
    has_stat_values_ = true;
    times_.SetTotals({stat.id, -1}, event, stat.enabled, stat.running);
    if (sink_.requirements().counters) stat_values_.push_back(stat);
  }
}

void CounterTracker::SetStatThreads(const ThreadMapRecord& map) {
  ThreadTable& threads = threads_.table();
  stat_threads_.clear();
  for (const ThreadMapRecord::Entry& entry : map.threads) {
    const auto tid = static_cast<int32_t>(entry.pid);
    stat_threads_.push_back(tid);
    if (tid >= 0 && !entry.comm.empty() && !threads.HasSeen(tid)) {
      threads.Rename(tid, tid, entry.comm, /*exec=*/false);
    }
  }
}

absl::Status CounterTracker::ReportRound(uint64_t time) {
  for (const StatRecord& stat : stat_values_) {
    Counter counter;
    counter.event = attrs_.EventOfId(stat.id);
    counter.cpu = static_cast<int32_t>(stat.cpu);
    const int32_t tid = ThreadOf(stat);
    if (tid >= 0) {
      ThreadState* seen = threads_.table().FindSeen(tid);
      ThreadState& thread =
          seen != nullptr ? *seen : threads_.GetThread(tid, tid);
      ASSIGN_OR_RETURN(counter.thread, threads_.Announce(thread, std::nullopt));
    }
    RETURN_IF_ERROR(Report(stat.id, tid,
                           {.time = time,
                            .value = stat.value,
                            .enabled = stat.enabled,
                            .running = stat.running,
                            .made = 0},
                           &counter));
  }
  stat_values_.clear();
  has_round_ = true;
  return absl::OkStatus();
}

// After the last round of `perf stat record -I`, perf writes its values once
// more, as they are then. `perf stat report` does not show them either.
void CounterTracker::EndRounds() {
  std::erase_if(stat_values_, [this](const StatRecord& stat) {
    return readings_.IsLatest({stat.id, ThreadOf(stat)}, stat.value);
  });
  if (stat_values_.empty()) return;
  if (has_round_) {
    diagnostics_.Add(Diagnostics::Severity::kNote,
                     "value of perf stat after its last round, not shown", 0, 0,
                     stat_values_.size());
  } else {
    diagnostics_.Add(Diagnostics::Severity::kSkipped,
                     "STAT record of a round that does not end", 0, 0,
                     stat_values_.size());
  }
  stat_values_.clear();
}

}  // namespace perf2x
