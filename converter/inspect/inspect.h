// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_INSPECT_H_
#define PERF2X_INSPECT_INSPECT_H_

#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/base/output.h"
#include "converter/input/input.h"

namespace perf2x {

// Writes the output of `perf2x info`: a recording's header and a summary of its
// contents. Writes text; with `json`, one JSON object. Does not close `output`.
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
  // If set, the line of an AUXTRACE record with Arm SPE trace is followed by a
  // line for each packet, as `perf report -D` prints it.
  bool packets = false;
  // The threads that make lines of packets, the caller's included; at least 1.
  int threads = 1;
};

// Writes the output of `perf2x dump`: a line for each record. The line has the
// offset (unless sorted), time, type, event, and the fields by name; of a
// header feature also its name, the size of its data, and what they say in
// short. If a record is shorter than its fields, its line says so, and the
// record is counted. Fails and counts as WriteInfo does.
absl::Status WriteDump(Input input, const DumpOptions& options, Output& output,
                       Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_INSPECT_H_
