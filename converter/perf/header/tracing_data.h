// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_TRACING_DATA_H_
#define PERF2X_PERF_HEADER_TRACING_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {

// What is in tracing data: the TRACING_DATA feature, or what follows a
// HEADER_TRACING_DATA record. Layout: record_data_file(),
// tools/perf/util/trace-event-info.c.
struct TracingDataIndex {
  struct System {
    std::string name;
    uint64_t events = 0;  // formats
  };
  std::string version;
  bool big_endian = false;
  uint32_t long_size = 0, page_size = 0;
  uint64_t ftrace_events = 0;  // the tracer's own formats
  std::vector<System> systems;
};

// False when the data end early; `*index` has what came before.
bool ReadTracingDataIndex(absl::Span<const uint8_t> data,
                          TracingDataIndex* index);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_TRACING_DATA_H_
