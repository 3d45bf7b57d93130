// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_EVENT_KIND_H_
#define PERF2X_PERF_HEADER_EVENT_KIND_H_

#include "absl/strings/string_view.h"
#include "converter/base/event_kind.h"
#include "converter/perf/records/attr.h"

namespace perf2x {

// Returns the kind of an event; kSampled unless another kind fits. `name` is
// perf's name of the event, without modifiers. BPF output with the name
// "offcpu-time" is kOffCpu. If `traces_off_cpu` is set (simpleperf's
// --trace-offcpu), so are tracepoints whose names begin with
// "sched:sched_switch".
EventKind EventKindOf(const EventAttr& attr, absl::string_view name,
                      bool traces_off_cpu);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_EVENT_KIND_H_
