// SPDX-License-Identifier: Apache-2.0
#include "converter/session/loss_tracker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// Returns why data is missing according to PERF_AUX_FLAG_*; empty if none is.
// Data overwritten in snapshot mode does not count as missing.
std::string AuxGapReason(uint64_t flags) {
  std::string why;
  for (const auto& [flag, name] :
       {std::pair{AuxRecord::kTruncated, "truncated"},
        std::pair{AuxRecord::kPartial, "partial"},
        std::pair{AuxRecord::kCollision, "collision"}}) {
    if ((flags & flag) != 0) {
      absl::StrAppend(&why, why.empty() ? "" : ", ", name);
    }
  }
  return why;
}

}  // namespace

// Returns the thread of a record without a CPU, as in recordings of single
// processes; kNoId for other records.
absl::StatusOr<ThreadId> LossTracker::ThreadWithoutCpu(
    const RecordContext& context) {
  const SampleId& id = context.id;
  if (static_cast<int32_t>(id.cpu) >= 0 || id.tid < 0) return kNoId;
  return threads_.Announce(threads_.GetThread(id.pid, id.tid), context.time);
}

absl::Status LossTracker::ReportLost(Lost lost, const RecordContext& context) {
  RETURN_IF_ERROR(sink_.EnsureBegun());
  lost.cpu = static_cast<int32_t>(context.id.cpu);
  ASSIGN_OR_RETURN(lost.thread, ThreadWithoutCpu(context));
  return sink_.Report(&Emitter::OnLost, lost);
}

absl::Status LossTracker::Apply(const LostRecord& lost,
                                const RecordContext& context) {
  lost_records_ = SaturatingAdd(lost_records_, lost.lost);
  return ReportLost({context.time, lost.lost, false}, context);
}

absl::Status LossTracker::Apply(const LostSamplesRecord& lost,
                                const RecordContext& context) {
  if ((context.raw.misc & kMiscLostSamplesBpf) != 0) {
    dropped_samples_ = SaturatingAdd(dropped_samples_, lost.lost);
    return absl::OkStatus();
  }
  lost_samples_ = SaturatingAdd(lost_samples_, lost.lost);
  return ReportLost({context.time, lost.lost, true}, context);
}

absl::Status LossTracker::ReportThrottle(const ThrottleFields& record,
                                         bool begin,
                                         const RecordContext& context) {
  RETURN_IF_ERROR(sink_.EnsureBegun());
  const uint32_t event = attrs_.EventOfId(record.id);
  ASSIGN_OR_RETURN(const ThreadId thread, ThreadWithoutCpu(context));
  return sink_.Report(
      &Emitter::OnThrottle,
      {context.time, event == kNoEvent ? kNoId : events_.IdOf(event),
       static_cast<int32_t>(context.id.cpu), begin, thread});
}

absl::Status LossTracker::Apply(const AuxRecord& aux,
                                const RecordContext& context) {
  const std::string why = AuxGapReason(aux.flags);
  if (why.empty()) return absl::OkStatus();
  ++aux_gaps_;
  AuxGap gap;
  gap.time = context.time;
  gap.cpu = static_cast<int32_t>(context.id.cpu);
  gap.reason = why;
  ASSIGN_OR_RETURN(
      gap.thread,
      threads_.Announce(threads_.GetThread(context.id.pid, context.id.tid),
                        context.time));
  return sink_.Report(&Emitter::OnAuxGap, gap);
}

void LossTracker::AppendLines(std::vector<std::string>* lines) const {
  const auto append = [lines](uint64_t count, const char* what) {
    if (count > 0) lines->push_back(absl::StrCat(count, what));
  };
  append(lost_records_, " records lost by the kernel (LOST)");
  append(lost_samples_, " samples lost by the kernel (LOST_SAMPLES)");
  append(dropped_samples_, " samples dropped by a filter while recording");
  append(aux_gaps_, " parts of a hardware trace lost while recording (AUX)");
}

}  // namespace perf2x
