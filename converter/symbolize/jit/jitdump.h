// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_JIT_JITDUMP_H_
#define PERF2X_SYMBOLIZE_JIT_JITDUMP_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"
#include "converter/model/model.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// A JIT compiler's list of the code that it generated, jit-PID.dump. Format:
// tools/perf/Documentation/jitdump-specification.txt of the kernel. A process
// announces the file to perf by mapping a page of it executable. Immutable.
class JitDump {
 public:
  // A JIT_CODE_LOAD or JIT_CODE_MOVE record: code was loaded at, or moved to,
  // the run-time addresses [start, start + size).
  struct Event {
    uint64_t time = 0;         // ns, or TSC counts if counter_times()
    int32_t pid = 0, tid = 0;  // in the process's own namespace
    uint64_t start = 0, size = 0;
    bool move = false;       // false: a load
    uint64_t old_start = 0;  // start before a move; 0 for a load
    uint64_t index = 0;  // of the function; the same in its load and its moves
    absl::string_view name;  // of a load; valid as long as the JitDump
    // The machine code of a load, as the compiler wrote it; valid as long as
    // the JitDump. May have fewer than `size` bytes.
    absl::Span<const uint8_t> code;
    // Source lines of a load, in order of their offsets; null if there are none
    // or they are damaged.
    std::shared_ptr<const std::vector<GeneratedLine>> lines;
    // Set if the load has lines that cannot be of its code: Node.js 20 writes
    // other bytes over names of files, and what follows is not where it should
    // be.
    bool has_damaged_lines = false;
    // .eh_frame of a load; null if there is none. Pointers in it are relative
    // to its run-time address, which BinaryUnwindInfoSource::GeneratedCfi
    // computes.
    std::shared_ptr<const std::vector<uint8_t>> eh_frame;
  };

  // Reads the file's header. Fails with InvalidArgument if `file` is not a
  // jitdump.
  static absl::StatusOr<std::unique_ptr<JitDump>> Open(
      std::shared_ptr<const SafeFile> file);

  // Returns true if times are counts of the CPU's time stamp counter (TSC);
  // TIME_CONV records convert them. If false, times are ns on the recording's
  // clock.
  bool counter_times() const { return counter_times_; }
  // Returns the process's pid in its own namespace.
  int32_t pid() const { return pid_; }
  // Reads all records and calls `visit` with each load and move. Visits them in
  // file order, which should be time order but is not checked. The Event is
  // valid during the call; copies of `lines` and `eh_frame` may be kept.
  //
  // Returns true at the end of the file, or at its JIT_CODE_CLOSE record.
  // Returns false at damage, if the last record is incomplete, or once the
  // file's budget is exhausted. In these cases, only the events before that
  // point were visited.
  bool ForEach(absl::FunctionRef<void(const Event&)> visit) const;

 private:
  JitDump() = default;
  std::shared_ptr<const SafeFile> file_;
  ByteOrder order_ = kHostOrder;
  uint32_t header_size_ = 0;
  bool counter_times_ = false;
  int32_t pid_ = 0;
};

// Returns true if a mapping's name looks like a jitdump's: ".../jit-PID.dump".
bool IsJitDumpName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_JIT_JITDUMP_H_
