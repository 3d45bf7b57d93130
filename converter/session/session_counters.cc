// The part of Session that reads counters: READ records, samples with readings,
// and the rounds of `perf stat record`.

#include <cmath>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/stat_records.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

// Values that wait for their round; more than any machine's counters.
constexpr size_t kMaxStatValues = 1 << 20;

}  // namespace

absl::Status Session::EmitCounter(uint64_t id, int32_t reader_tid,
                                  const CounterReading& reading,
                                  Counter* counter) {
  const auto growth = readings_.Next({id, reader_tid}, reading);
  if (!growth.has_value()) return absl::OkStatus();
  const RecordedEvent& event = attrs_.events()[counter->event];
  counter->time = reading.time;
  counter->since = growth->since;
  counter->value = growth->value * event.scale;
  if (growth->restarted) {
    diagnostics_.Add(Diagnostics::Severity::kNote,
                     "counter runs backwards; counted from 0 again");
  }
  if (!std::isfinite(counter->value)) {
    diagnostics_.Add(Diagnostics::Severity::kSkipped,
                     "counter value that is no number once it is scaled");
    return absl::OkStatus();
  }
  if (!begun_) RETURN_IF_ERROR(Begin());
  return emitter_.OnCounter(*counter);
}

// Each counter of a reading: its value and id, the latter where recorded.
absl::Status Session::EmitReadings(const ReadValues& read, uint64_t own_id,
                                   ThreadState& thread, int32_t cpu,
                                   const Context& context) {
  const EventAttr& attr = attrs_.AttrOf(context.raw);
  const uint64_t format = attr.read_format;
  // An inherited counter counts for each thread on its own, under one id.
  const bool a_thread = attr.inherit() || context.raw.type == kRecordRead;
  // A thread's counter that stood still while its thread was elsewhere did not
  // have to share: only what perf stat reads is scaled up, as perf does it.
  const uint64_t running =
      a_thread && read.time_running > 0 ? read.time_enabled : read.time_running;
  Counter counter;
  counter.cpu = a_thread ? -1 : cpu;
  if (counter.cpu < 0) {
    ASSIGN_OR_RETURN(counter.thread, Announce(thread, context.time));
  }
  const auto emit = [&](uint64_t id, uint64_t value) -> absl::Status {
    counter.event = attrs_.EventOfId(id);
    if (counter.event == kNoEvent) counter.event = attrs_.EventOf(context.raw);
    if (counter.event == kNoEvent) return absl::OkStatus();
    return EmitCounter(id, a_thread ? thread.tid : -1,
                       {.time = context.time,
                        .value = value,
                        .enabled = read.time_enabled,
                        .running = running,
                        .made = std::nullopt},
                       &counter);
  };
  if ((format & kReadGroup) == 0) {
    return emit((format & kReadId) ? read.id : own_id, read.value);
  }
  const size_t stride = ReadValues::Stride(format);
  for (size_t i = 0; i + stride <= read.members.size(); i += stride) {
    // Without their ids, the members cannot be told apart.
    if ((format & kReadId) == 0 && i > 0) break;
    RETURN_IF_ERROR(emit((format & kReadId) ? read.members[i + 1] : own_id,
                         read.members[i]));
  }
  return absl::OkStatus();
}

absl::Status Session::On(const ReadRecord& read, const Context& context) {
  if (const EventId event = attrs_.EventOf(context.raw); event != kNoEvent) {
    counting_times_.Note({context.id.id, read.tid}, event,
                         read.read.time_enabled, read.read.time_running);
  }
  if (!requirements_.counters) return absl::OkStatus();
  return EmitReadings(read.read, context.id.id, ThreadOf(read.pid, read.tid),
                      static_cast<int32_t>(context.id.cpu), context);
}

// `perf stat record` writes what it has read, then the round's time, in ns
// since it began: write_stat_round_event() in tools/perf/builtin-stat.c.
absl::Status Session::ObserveStat(const RawRecord& record) {
  const auto decode = [&record](auto* to) {
    return Decode(record.body, record.order, record.misc, EventAttr(), to);
  };
  if (record.type == kRecordThreadMap) {
    ThreadMapRecord map;
    if (decode(&map)) ObserveThreadMap(map);
  } else if (record.type == kRecordStat) {
    StatRecord stat;
    if (!decode(&stat)) {
      Skip(record, "shorter than its fields");
    } else if (stat.id == 0) {
      diagnostics_.Add(Diagnostics::Severity::kNote,
                       "STAT record of an event that perf itself counted",
                       record.offset);
    } else if (attrs_.EventOfId(stat.id) == kNoEvent) {
      Skip(record, "of an event that is not known");
    } else if (stat_values_.size() == kMaxStatValues) {
      Skip(record, "of a round that does not end");
    } else {
      facts_.has_counts = true;
      counting_times_.Note({stat.id, -1}, attrs_.EventOfId(stat.id),
                           stat.enabled, stat.running);
      if (requirements_.counters) stat_values_.push_back(stat);
    }
  } else if (record.type == kRecordStatRound) {
    StatRoundRecord round;
    if (decode(&round)) return EmitStatRound(round.time);
    Skip(record, "shorter than its fields");
  }
  return absl::OkStatus();
}

void Session::ObserveThreadMap(const ThreadMapRecord& map) {
  stat_threads_.clear();
  for (const ThreadMapRecord::Entry& entry : map.threads) {
    const auto tid = static_cast<int32_t>(entry.pid);
    stat_threads_.push_back(tid);
    if (tid >= 0 && !entry.comm.empty() && threads_.Known(tid) == nullptr) {
      threads_.Rename(tid, tid, entry.comm, /*exec=*/false);
    }
  }
}

absl::Status Session::EmitStatRound(uint64_t time) {
  for (const StatRecord& stat : stat_values_) {
    Counter counter;
    counter.event = attrs_.EventOfId(stat.id);
    counter.cpu = static_cast<int32_t>(stat.cpu);
    const int32_t tid =
        stat.thread < stat_threads_.size() ? stat_threads_[stat.thread] : -1;
    if (tid >= 0) {
      ThreadState* known = threads_.Known(tid);
      ThreadState& thread = known != nullptr ? *known : ThreadOf(tid, tid);
      ASSIGN_OR_RETURN(counter.thread, Announce(thread, std::nullopt));
    }
    RETURN_IF_ERROR(EmitCounter(stat.id, tid,
                                {.time = time,
                                 .value = stat.value,
                                 .enabled = stat.enabled,
                                 .running = stat.running,
                                 .made = 0},
                                &counter));
  }
  stat_values_.clear();
  return absl::OkStatus();
}

}  // namespace perf2x
