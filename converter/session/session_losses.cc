// The part of Session that tells of what the recording has not.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

// What PERF_AUX_FLAG_* say is missing; empty: nothing. Overwritten data
// (snapshots) is meant to be.
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

// Recordings of single processes have no CPU in their records.
absl::StatusOr<ThreadId> Session::ThreadWithoutCpu(const Context& context) {
  const SampleId& id = context.id;
  if (static_cast<int32_t>(id.cpu) >= 0 || id.tid < 0) return kNoId;
  return Announce(ThreadOf(id.pid, id.tid), context.time);
}

absl::Status Session::EmitLost(Lost lost, const Context& context) {
  if (!begun_) RETURN_IF_ERROR(Begin());
  lost.cpu = static_cast<int32_t>(context.id.cpu);
  ASSIGN_OR_RETURN(lost.thread, ThreadWithoutCpu(context));
  return emitter_.OnLost(lost);
}

absl::Status Session::On(const LostRecord& lost, const Context& context) {
  summary_.lost_records += lost.lost;
  return EmitLost({context.time, lost.lost, false}, context);
}

absl::Status Session::On(const LostSamplesRecord& lost,
                         const Context& context) {
  if ((context.raw.misc & kMiscLostSamplesBpf) != 0) {
    dropped_samples_ += lost.lost;
    return absl::OkStatus();
  }
  summary_.lost_samples += lost.lost;
  return EmitLost({context.time, lost.lost, true}, context);
}

absl::Status Session::EmitThrottle(const ThrottleFields& record, bool begin,
                                   const Context& context) {
  if (!begun_) RETURN_IF_ERROR(Begin());
  const uint32_t event = attrs_.EventOfId(record.id);
  ASSIGN_OR_RETURN(const ThreadId thread, ThreadWithoutCpu(context));
  return emitter_.OnThrottle({context.time, event == kNoEvent ? kNoId : event,
                              static_cast<int32_t>(context.id.cpu), begin,
                              thread});
}
absl::Status Session::On(const ThrottleRecord& r, const Context& context) {
  return EmitThrottle(r, true, context);
}
absl::Status Session::On(const UnthrottleRecord& r, const Context& context) {
  return EmitThrottle(r, false, context);
}

absl::Status Session::On(const AuxRecord& aux, const Context& context) {
  const std::string why = AuxGapReason(aux.flags);
  if (why.empty()) return absl::OkStatus();
  AuxGap gap;
  gap.time = context.time;
  gap.cpu = static_cast<int32_t>(context.id.cpu);
  gap.why = why;
  ASSIGN_OR_RETURN(
      gap.thread,
      Announce(ThreadOf(context.id.pid, context.id.tid), context.time));
  return emitter_.OnAuxGap(gap);
}

}  // namespace perf2x
