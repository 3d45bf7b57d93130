// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_INSPECT_H_
#define PERF2X_INSPECT_INSPECT_H_

#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/base/output.h"
#include "converter/input/input.h"

namespace perf2x {

// Writes what `perf2x info` prints: a recording's header and a summary of its
// contents, as text or, if `json`, as one JSON object. Does not close `output`.
// Fails if the input is no recording or cannot be read, and if `output` fails.
// `diagnostics` counts damage, and what is skipped because the input's Budget
// is exhausted.
absl::Status WriteInfo(Input input, bool json, Output& output,
                       Diagnostics* diagnostics);

// Which records a dump shows, and which of their fields.
struct DumpOptions {
  bool sorted = false;  // by time, as in a conversion; else in file order
  // If set, includes user records and the records that are replayed from a
  // file's header.
  bool container = true;
  // Long fields, which are written only if these are set. `raw` stands for the
  // fields "raw", "aux", "data" and "attr".
  bool callchain = false, branches = false, regs = false, raw = false,
       stack = false;
};

// Writes what `perf2x dump` prints: a line for each record with its offset
// (unless sorted), time, type and event, and its fields by name. A record that
// is shorter than its fields gets a line that says so, and is counted. Fails
// and counts as WriteInfo does.
absl::Status WriteDump(Input input, const DumpOptions& options, Output& output,
                       Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_INSPECT_H_
