// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_EVENT_NAMES_H_
#define PERF2X_EMIT_EVENT_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "converter/model/event_names.h"  // IWYU pragma: export

namespace perf2x {

// Returns the name of an event of an Intel hybrid processor's core PMU, without
// the PMU: "cycles:u" for "cpu_atom/cycles/u". Returns "" for all other events.
// Also returns "" for numeric events ("cpu_core/event=0x3c/"), whose meaning
// depends on the PMU.
std::string HybridEventName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_EMIT_EVENT_NAMES_H_
