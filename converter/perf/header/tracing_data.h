// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_TRACING_DATA_H_
#define PERF2X_PERF_HEADER_TRACING_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {

// A summary of tracing data: the payload of the TRACING_DATA feature, or the
// bytes after a HEADER_TRACING_DATA record. Layout: record_data_file(),
// tools/perf/util/trace-event-info.c.
struct TracingDataSummary {
  struct System {
    std::string name;
    uint64_t events = 0;  // number of event formats
  };
  std::string version;
  bool big_endian = false;
  uint32_t long_size = 0, page_size = 0;  // in bytes
  uint64_t ftrace_events = 0;             // formats of ftrace itself
  std::vector<System> systems;
};

// Reads the data up to the last event format. Does not read what follows:
// kallsyms, printk formats, command names. `*summary` must be empty. If the
// data is damaged or ends early, returns false, with the fields before the
// damage in `*summary`.
bool ReadTracingDataSummary(absl::Span<const uint8_t> data,
                            TracingDataSummary* summary);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_TRACING_DATA_H_
