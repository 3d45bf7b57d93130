// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_EVENT_NAME_H_
#define PERF2X_PERF_HEADER_EVENT_NAME_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/perf/records/attr.h"

namespace perf2x {

// The name that perf gives to an event nobody named, from what was asked of the
// kernel: "cycles:u", "L1-dcache-load-misses", "raw 0x533079". `pmus` are the
// recording machine's PMU names by type, where known. Rules:
// evsel__name(), evsel__add_modifiers() in tools/perf/util/evsel.c.
std::string EventNameOf(const EventAttr& attr,
                        const absl::flat_hash_map<uint32_t, std::string>& pmus);

// The type of the PMU that counts an event, where perf names it: of a dynamic
// PMU, or of one kind of core of a hybrid machine (PERF_PMU_TYPE_SHIFT). Else
// 0.
uint32_t PmuTypeOf(const EventAttr& attr);

// The name of a PMU that PMU_MAPPINGS may lack, as it is perf's own and not the
// kernel's: "tool", "hwmon", "drm". Else empty. The types are in
// tools/perf/util/pmu.h.
absl::string_view OwnPmuName(uint32_t type);

// `name` with its PMU ahead, where two PMUs count events of one name:
// "cycles:P" becomes "cpu_core/cycles/P". As evsel__uniquify_counter() in
// tools/perf/util/evsel.c.
std::string WithPmu(absl::string_view pmu, absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_EVENT_NAME_H_
