// The part of Session that tells of what the recording has not.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/perf/kernel_records.h"
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

absl::Status Session::On(const LostRecord& lost, const Context& context) {
  summary_.lost_records += lost.lost;
  if (!begun_) RETURN_IF_ERROR(Begin());
  return emitter_.OnLost(
      {context.time, lost.lost, false, static_cast<int32_t>(context.id.cpu)});
}

absl::Status Session::On(const LostSamplesRecord& lost,
                         const Context& context) {
  summary_.lost_samples += lost.lost;
  if (!begun_) RETURN_IF_ERROR(Begin());
  return emitter_.OnLost(
      {context.time, lost.lost, true, static_cast<int32_t>(context.id.cpu)});
}

absl::Status Session::EmitThrottle(const ThrottleFields& record, bool begin,
                                   const Context& context) {
  if (!begun_) RETURN_IF_ERROR(Begin());
  const uint32_t event = attrs_.EventOfId(record.id);
  return emitter_.OnThrottle({context.time, event == kNoEvent ? kNoId : event,
                              static_cast<int32_t>(context.id.cpu), begin});
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
