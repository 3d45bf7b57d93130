#ifndef PERF2X_INSPECT_INSPECT_H_
#define PERF2X_INSPECT_INSPECT_H_

#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/base/output.h"
#include "converter/input/input.h"

namespace perf2x {

// `perf2x info`: writes what the header of a recording says, and what is in it,
// as text or as one JSON object.
absl::Status WriteInfo(Input input, bool json, Output& output,
                       Diagnostics* diagnostics);

struct DumpOptions {
  bool sorted = false;  // by time, as a conversion sees them; else as stored
  // Records that describe the container, not what was recorded: those of perf
  // itself and those replayed from a file's header.
  bool container = true;
  // Fields that are long and left out unless asked for.
  bool callchain = false, branches = false, regs = false, raw = false,
       stack = false;
};

// `perf2x dump`: writes every record on a line of its own: offset, time, type,
// event, and all fields by name.
absl::Status WriteDump(Input input, const DumpOptions& options, Output& output,
                       Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_INSPECT_H_
