#ifndef PERF2X_EMIT_EVENT_NAMES_H_
#define PERF2X_EMIT_EVENT_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/profile/model.h"

namespace perf2x {

// Returns the name that stands for each event in outputs. Of several events
// with one name, the second is "NAME#2".
std::vector<std::string> DistinctEventNames(absl::Span<const Event> events);

// Returns what an event of one of a hybrid machine's core PMUs is called on all
// of them, with its modifiers: "cycles:u" for "cpu_atom/cycles/u". Empty for
// other events and those without a name ("cpu_core/event=0x3c/"), whose codes
// mean different things on each PMU.
std::string HybridEventName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_EMIT_EVENT_NAMES_H_
