// SPDX-License-Identifier: Apache-2.0

// Formats of tracepoints, and the fields that they decode from a sample's raw
// data.

#include "converter/perf/header/tracing_data.h"
#include "converter/tracepoint/formats.h"
#include "tests/fuzz/targets.h"

namespace perf2x {

// Pieces: tracing data, then payloads for each of its formats.
void FuzzTracing(FuzzInput bytes) {
  const std::vector<FuzzInput> pieces = FuzzPieces(bytes);
  TracingDataSummary summary;
  (void)ReadTracingDataSummary(pieces[0], &summary);
  Diagnostics diagnostics;
  auto formats = TracepointFormats::Parse(pieces[0], diagnostics);
  if (!formats.ok()) return;
  TracepointFields fields;
  constexpr uint64_t kIds = 2000;  // more than a kernel has
  for (uint64_t id = 0; id < kIds; ++id) {
    const TracepointFormat* format = formats->Find(id);
    if (format == nullptr) continue;
    for (const FuzzInput raw : pieces) {
      (void)format->Decode(raw, &fields);
      for (const TracepointFieldLayout& field : format->layouts()) {
        (void)format->Number(field, raw);
        (void)format->String(field, raw);
      }
    }
  }
}

}  // namespace perf2x
