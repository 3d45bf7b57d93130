// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_kind.h"

#include "absl/strings/match.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

EventKind EventKindOf(const EventAttr& attr, absl::string_view name,
                      bool traces_off_cpu) {
  if (attr.type == kTypeTracepoint) {
    return traces_off_cpu && absl::StartsWith(name, "sched:sched_switch")
               ? EventKind::kOffCpu
               : EventKind::kTracepoint;
  }
  if (attr.type != kTypeSoftware) return EventKind::kSampled;
  switch (attr.config) {
    case kSoftwareCpuClock:
    case kSoftwareTaskClock:
      return EventKind::kClock;
    case kSoftwarePageFaults:
    case kSoftwareMinorFaults:
    case kSoftwareMajorFaults:
      return EventKind::kPageFault;
    case kSoftwareDummy:
      return EventKind::kDummy;
    case kSoftwareBpfOutput:
      // perf's BPF program for --off-cpu writes to this event; the name is
      // OFFCPU_EVENT in tools/perf/util/off_cpu.h.
      return name == "offcpu-time" ? EventKind::kOffCpu : EventKind::kSampled;
    default:
      return EventKind::kSampled;
  }
}

}  // namespace perf2x
