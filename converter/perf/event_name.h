#ifndef PERF2X_PERF_EVENT_NAME_H_
#define PERF2X_PERF_EVENT_NAME_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "converter/perf/attr.h"

namespace perf2x {

// The name that perf gives to an event nobody named, from what was asked of the
// kernel: "cycles:u", "L1-dcache-load-misses", "raw 0x533079". `pmus` are the
// recording machine's PMU names by type, where known. Rules:
// evsel__name(), evsel__add_modifiers() in tools/perf/util/evsel.c.
std::string EventNameOf(const EventAttr& attr,
                        const absl::flat_hash_map<uint32_t, std::string>& pmus);

}  // namespace perf2x

#endif  // PERF2X_PERF_EVENT_NAME_H_
