// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_JIT_JITDUMP_H_
#define PERF2X_SYMBOLIZE_JIT_JITDUMP_H_

#include <cstdint>
#include <memory>
#include <string>
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
    uint64_t time = 0;         // ns or TSC counts, see counter_times()
    int32_t pid = 0, tid = 0;  // in the process's own namespace
    uint64_t start = 0, size = 0;
    bool move = false;
    uint64_t old_start = 0;  // of a move
    uint64_t index = 0;  // of the function; the same in its load and its moves
    absl::string_view name;  // of a load; valid as long as the JitDump
    // The machine code of a load, as the compiler wrote it; valid as long as
    // the JitDump. May have fewer than `size` bytes.
    absl::Span<const uint8_t> code;
    // Source lines of a load; null if there are none.
    std::shared_ptr<const std::vector<GeneratedLine>> lines;
    // .eh_frame of a load; null if there is none. Pointers in it are relative
    // to its run-time address, which BinaryUnwindInfoSource::GeneratedCfi
    // computes.
    std::shared_ptr<const std::vector<uint8_t>> eh_frame;
  };

  // Fails with InvalidArgument if `file` is not a jitdump.
  static absl::StatusOr<std::unique_ptr<JitDump>> Open(
      std::shared_ptr<const SafeFile> file);

  // Returns true if times are counts of the CPU's time stamp counter (TSC);
  // TIME_CONV records convert them. If false, times are ns on the recording's
  // clock.
  bool counter_times() const { return counter_times_; }
  // Returns the process's pid in its own namespace.
  int32_t pid() const { return pid_; }
  // Calls `visit` with loads and moves in file order, which should be time
  // order. An Event is valid during the call, its shared parts as long as they
  // are held. Returns false if the file is damaged or truncated, or if its
  // budget is exhausted. The events before that point have been visited.
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
