// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_EVENT_KIND_H_
#define PERF2X_PERF_HEADER_EVENT_KIND_H_

#include "absl/strings/string_view.h"
#include "converter/base/event_kind.h"
#include "converter/perf/records/attr.h"

namespace perf2x {

// Returns the kind of an event by its attr; kSampled for all that are of no
// other kind. `name` is perf's name of the event, without modifiers. It tells
// kOffCpu ("offcpu-time") from other BPF output, whose attr is the same.
EventKind EventKindOf(const EventAttr& attr, absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_EVENT_KIND_H_
