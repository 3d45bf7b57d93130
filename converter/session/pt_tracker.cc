// SPDX-License-Identifier: Apache-2.0
#include "converter/session/pt_tracker.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "converter/session/aux_diagnostics.h"

namespace perf2x {
namespace {

using Severity = Diagnostics::Severity;

// Words of AUXTRACE_INFO: enum in tools/perf/util/intel-pt.h.
enum Info : size_t {
  kPmuType = 0,
  kTimeShift = 1,
  kTimeMult = 2,
  kTimeZero = 3,
  kCapUserTimeZero = 4,
  kSnapshotMode = 8,
  kMtcFreqBits = 11,
  kTscCtcN = 12,
  kTscCtcD = 13,
  kMaxNonTurboRatio = 15,
};

uint64_t WordOf(const AuxtraceInfoRecord& info, Info word) {
  return word < info.priv.size() ? info.priv[word] : 0;
}

// A queue without times is followed when all records have been read: by then,
// all mappings are known.
constexpr uint64_t kUntimed = ~uint64_t{0} - 1;

// Returns the time up to which a queue was followed, for its order.
uint64_t DueTimeOf(const PtQueue& queue) {
  return std::min(queue.time().value_or(kUntimed), kUntimed);
}

}  // namespace

// The event's configuration is the low part of IA32_RTIT_CTL.
PtSettings PtTracker::SettingsOf(const AuxtraceInfoRecord& info) const {
  PtSettings settings;
  SetPtProcessor(deps_.features.cpu_id, &settings);
  settings.tsc_numerator = static_cast<uint32_t>(WordOf(info, kTscCtcN));
  settings.tsc_denominator = static_cast<uint32_t>(WordOf(info, kTscCtcD));
  settings.nominal_ratio =
      static_cast<uint8_t>(WordOf(info, kMaxNonTurboRatio));
  const uint64_t bits = WordOf(info, kMtcFreqBits);
  for (const RecordedEvent& event : deps_.attrs.events()) {
    if (bits == 0 || event.attr.type != WordOf(info, kPmuType)) continue;
    settings.mtc_frequency = static_cast<uint8_t>((event.attr.config & bits) >>
                                                  std::countr_zero(bits));
  }
  return settings;
}

void PtTracker::SetInfo(const AuxtraceInfoRecord& info,
                        const TimeConvRecord* conversion) {
  active_ = true;
  recording_.snapshots = WordOf(info, kSnapshotMode) != 0;
  keeps_all_ = !recording_.snapshots;
  for (const RecordedEvent& event : deps_.attrs.events()) {
    if ((event.attr.sample_type & kSampleAux) != 0) keeps_all_ = false;
  }
  recording_.settings = SettingsOf(info);
  if (conversion != nullptr) {
    recording_.conversion = *conversion;
  } else if (WordOf(info, kCapUserTimeZero) != 0) {
    TimeConvRecord own;
    own.time_shift = WordOf(info, kTimeShift);
    own.time_mult = WordOf(info, kTimeMult);
    own.time_zero = WordOf(info, kTimeZero);
    recording_.conversion = own;
  }
}

// The parts of the record's data that no record before had. In snapshots,
// places come again with other data.
std::vector<AuxCoverage::Data> PtTracker::NewDataOf(const AuxtraceRecord& trace,
                                                    const RawRecord& record) {
  const uint64_t size = record.payload.size();
  if (size == 0) return {};
  if (recording_.snapshots) return {AuxCoverage::Data{trace.offset, size}};
  std::vector<AuxCoverage::Data> parts =
      coverage_.AddData({trace.cpu, trace.tid, trace.offset, size});
  CountRepeatedAuxData(record.offset, size, size - AuxCoverage::SizeOf(parts),
                       deps_.diagnostics);
  return parts;
}

void PtTracker::Add(const AuxtraceRecord& trace, const RawRecord& record) {
  const std::vector<AuxCoverage::Data> parts = NewDataOf(trace, record);
  if (parts.empty()) return;
  const std::optional<uint32_t> index = QueueOf(trace);
  if (!index.has_value()) {
    deps_.diagnostics.Add(Severity::kSkipped,
                          "buffer of Intel PT trace of one CPU or thread too "
                          "many (see SECURITY.md)",
                          record.offset, trace.size);
    return;
  }
  Queue& queue = queues_[*index];
  for (const AuxCoverage::Data& part : parts) {
    const uint64_t skipped = part.start - trace.offset;
    queue.trace.Add(record.payload.subspan(skipped, part.size), *record.block,
                    record.offset + 8 + record.body.size() + skipped,
                    part.start);
  }
  // Its first step says when the others were. For some errata, it reads code.
  SelectCode(&queue.trace);
  if (!deps_.samples.sink.begun()) code_.SelectNone();
  const std::optional<uint64_t> before = queue.trace.time();
  if (PtStep begin; !queue.waits && queue.trace.Next(&begin)) {
    // A buffer that continues the one before begins no flow. Where a CPU's
    // trace begins, the thread's calls are known from another CPU's.
    queue.begins = queue.follows && begin.kind == PtStep::Kind::kBegin;
    queue.before = before;
    Push(*index);
  }
  queue.follows = true;
  Account(&queue);
}

std::optional<uint32_t> PtTracker::QueueOf(const AuxtraceRecord& trace) {
  constexpr size_t kMaxQueues = 8192;
  const bool of_cpu = trace.cpu >= 0;
  const Place place(trace.cpu, of_cpu ? -1 : trace.tid);
  const auto it = by_place_.find(place);
  if (it != by_place_.end()) return it->second;
  if (queues_.size() >= kMaxQueues) return std::nullopt;
  const auto index = static_cast<uint32_t>(queues_.size());
  by_place_[place] = index;
  const auto runs = threads_.find(trace.cpu);
  const int32_t tid =
      of_cpu && runs != threads_.end() ? runs->second : trace.tid;
  queues_.emplace_back(trace.cpu, tid, recording_, code_, deps_.diagnostics);
  return index;
}

void PtTracker::Push(uint32_t index) {
  Queue& queue = queues_[index];
  queue.waits = true;
  due_.Push(DueTimeOf(queue.trace), index);
}

void PtTracker::SetThread(int32_t cpu, int32_t tid) {
  threads_[cpu] = tid;
  const auto it = by_place_.find({cpu, -1});
  if (cpu >= 0 && it != by_place_.end())
    queues_[it->second].trace.SetThread(tid);
}

void PtTracker::ObserveAux(const RawRecord& record) {
  AuxRecord aux;
  if (!keeps_all_ || !Decode(record, &aux)) return;
  const SampleId id = deps_.attrs.TrailerOf(record);
  coverage_.AddNamed(
      {static_cast<int32_t>(id.cpu), id.tid, aux.aux_offset, aux.aux_size},
      record.offset);
}

void PtTracker::EndRecords() {
  // Some records may have been skipped.
  if (deps_.counts.skips_all()) return;
  coverage_.ForEachMissing([this](uint64_t offset, uint64_t bytes) {
    CountMissingAuxData(offset, bytes, deps_.diagnostics);
  });
}

absl::Status PtTracker::Observe(const RawRecord& record) {
  switch (record.type) {
    case AuxRecord::kType:
      ObserveAux(record);
      return absl::OkStatus();
    case kRecordSwitch:
    case kRecordSwitchCpuWide:
    case ItraceStartRecord::kType:
      ObserveSwitch(record);
      return absl::OkStatus();
    case ExitRecord::kType: {
      ExitRecord exit;
      return Decode(record, &exit) ? samples_.OnExit(exit.tid)
                                   : absl::OkStatus();
    }
    case ForkRecord::kType: {
      ForkRecord fork;
      return Decode(record, &fork) ? samples_.OnFork(fork.tid)
                                   : absl::OkStatus();
    }
    default:
      return absl::OkStatus();
  }
}

void PtTracker::ObserveSwitch(const RawRecord& record) {
  const SampleId id = deps_.attrs.TrailerOf(record);
  const auto cpu = static_cast<int32_t>(id.cpu);
  const bool out = (record.misc & kMiscSwitchOut) != 0;
  if (ItraceStartRecord start; record.type == ItraceStartRecord::kType) {
    if (Decode(record, &start)) SetThread(cpu, start.tid);
  } else if (SwitchCpuWideRecord change;
             out && record.type == kRecordSwitchCpuWide) {
    if (Decode(record, &change)) SetThread(cpu, change.next_prev_tid);
  } else {
    SetThread(cpu, out ? -1 : id.tid);
  }
}

void PtTracker::SelectCode(PtQueue* queue) {
  const ThreadState* thread = deps_.threads.FindSeen(queue->tid());
  ProcessMaps maps;
  if (thread != nullptr) {
    maps = {thread->process->map, thread->process->replaced_map};
  }
  if (queue->SetCode(maps)) deps_.spaces.arena().Freeze();
}

void PtTracker::Account(Queue* queue) {
  const uint64_t now = sizeof(Queue) + queue->trace.memory();
  memory_ += now - queue->memory;
  queue->memory = now;
}

absl::Status PtTracker::EmitSome(uint64_t time) {
  constexpr uint64_t kMaxWork = 1 << 14;
  constexpr uint64_t kWorkPerTurn = 4;    // to change to another queue
  constexpr uint64_t kBytesPerStep = 64;  // so that the budget is soon checked
  const auto [index, until] = due_.First(time);
  Queue& queue = queues_[index];
  if (deps_.counts.skips_all()) {
    const uint64_t place = queue.trace.decode_offset();
    deps_.counts.SkipForBudget(kRecordSample, place, queue.trace.Drop());
    queue.begins = false;
    queue.waits = false;
    due_.RemoveFirst();
    Account(&queue);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(deps_.samples.sink.EnsureBegun());  // has the kernel's file
  SelectCode(&queue.trace);
  PtStep step;
  if (std::exchange(queue.begins, false)) {
    step.kind = PtStep::Kind::kBegin;
    RETURN_IF_ERROR(
        samples_.Apply(queue.trace, queue.before, step, &queue.position));
  }
  uint64_t work = kWorkPerTurn;
  bool more = true;
  while (work < kMaxWork) {
    const std::optional<uint64_t> now = queue.trace.time();
    more = queue.trace.Next(&step);
    work += queue.trace.TakeWork() + code_.TakeWork();
    if (!more) break;
    RETURN_IF_ERROR(samples_.Apply(queue.trace, now, step, &queue.position));
    if (DueTimeOf(queue.trace) >= until) break;
  }
  deps_.work.Add(work);
  deps_.counts.CountTowardCheck(kBytesPerStep * work);
  Account(&queue);
  queue.waits = more;
  if (more) {
    due_.MoveFirst(DueTimeOf(queue.trace));
  } else {
    due_.RemoveFirst();
  }
  return absl::OkStatus();
}

}  // namespace perf2x
