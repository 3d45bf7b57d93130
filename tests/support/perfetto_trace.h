// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PERFETTO_TRACE_H_
#define PERF2X_TESTS_SUPPORT_PERFETTO_TRACE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "perfetto_trace.pb.h"

namespace perf2x {

// Returns the packets of a trace, those in compressed_packets as well. Returns
// false if `bytes` are not a trace.
bool ReadPerfettoTrace(absl::string_view bytes, perfetto::protos::Trace* trace);

// Returns what in a Perfetto trace its readers count as an error, or "". Sets
// `*samples` to the number of samples in it.
std::string CheckPerfettoTrace(absl::string_view bytes, uint64_t* samples);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_PERFETTO_TRACE_H_
