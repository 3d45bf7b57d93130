// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_INSPECT_H_
#define PERF2X_INSPECT_INSPECT_H_

#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/base/output.h"
#include "converter/input/input.h"

namespace perf2x {

// Writes what `perf2x info` prints: a recording's header and a summary of its
// contents, as text or as one JSON object. Fails if the input is no recording;
// counts damage in `diagnostics`.
absl::Status WriteInfo(Input input, bool json, Output& output,
                       Diagnostics* diagnostics);

struct DumpOptions {
  bool sorted = false;  // by time, as in a conversion; else in file order
  // If set, includes records about the container: perf's own and those replayed
  // from a file's header.
  bool container = true;
  // Long fields, which are only written on request.
  bool callchain = false, branches = false, regs = false, raw = false,
       stack = false;
};

// Writes what `perf2x dump` prints: a line for each record with its offset,
// time, type and event, and its fields by name. Fails as WriteInfo does.
absl::Status WriteDump(Input input, const DumpOptions& options, Output& output,
                       Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_INSPECT_H_
