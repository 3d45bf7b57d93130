// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_EVENT_NAME_H_
#define PERF2X_PERF_HEADER_EVENT_NAME_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/perf/records/attr.h"

namespace perf2x {

// Returns the name that perf derives from the attr of an event without a
// recorded name: "cycles:u", "L1-dcache-load-misses". `pmus` maps types of the
// recording machine's PMUs to names, as far as known. Never returns an empty
// name. Raw events ("raw 0x533079") and events of dynamic PMUs
// ("uncore_imc/config=0x1/", "pmu_12/config=0x1/") get no modifiers. So events
// that differ only in modifiers have the same name. Rules: evsel__name(),
// evsel__add_modifiers() in tools/perf/util/evsel.c.
std::string EventNameOf(const EventAttr& attr,
                        const absl::flat_hash_map<uint32_t, std::string>& pmus);

// Returns the type of the dynamic PMU that counts the event. For hardware and
// cache events of hybrid machines, returns the type of the core's PMU. Returns
// 0 for all other events.
uint32_t PmuTypeOf(const EventAttr& attr);

// Returns the name of a PMU that perf itself implements: "tool", "hwmon" or
// "drm". PMU_MAPPINGS may lack these. Empty if `type` is a PMU of the kernel.
// The types are in tools/perf/util/pmu.h.
absl::string_view PerfPmuName(uint32_t type);

// Returns an event's name with its PMU: "cycles:P" becomes "cpu_core/cycles/P".
// Tells apart events of the same name on two PMUs. A name that starts with
// `pmu` stays as it is. Follows evsel__uniquify_counter() in
// tools/perf/util/evsel.c.
std::string EventNameWithPmu(absl::string_view pmu, absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_EVENT_NAME_H_
