#ifndef PERF2X_SYMBOLIZE_JIT_JITDUMP_H_
#define PERF2X_SYMBOLIZE_JIT_JITDUMP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/base/byte_order.h"
#include "converter/model/model.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// A JIT compiler's account of the code it made, jit-PID.dump, as described in
// the kernel's tools/perf/Documentation/jitdump-specification.txt. A process
// tells perf of the file by mapping a page of it executable.
class JitDump {
 public:
  // Code appears at [start, start + size), or moves there.
  struct Event {
    uint64_t time = 0;
    int32_t pid = 0, tid = 0;
    uint64_t start = 0, size = 0;
    bool move = false;
    uint64_t old_start = 0;  // of a move
    uint64_t index = 0;      // of the function; the same in load and moves
    absl::string_view name;  // of a load; as long as the JitDump
    // Source lines of a load; null when there are none.
    std::shared_ptr<const std::vector<GeneratedLine>> lines;
    // .eh_frame of a load, whose addresses are relative to its own place behind
    // the code (see BinaryUnwindInfoSource); null when there is none.
    std::shared_ptr<const std::vector<uint8_t>> eh_frame;
  };

  // Fails when `file` is not a jitdump.
  static absl::StatusOr<std::unique_ptr<JitDump>> Open(
      std::shared_ptr<const SafeFile> file);

  // Whether times are of the CPU's counter (TSC), to be converted as TIME_CONV
  // says, and not of the clock that the recording was made with.
  bool counter_times() const { return counter_times_; }
  // Of the process, as it numbered itself.
  int32_t pid() const { return pid_; }
  // Calls `visit` with the loads and moves in the order of the file, which is
  // that of time. Stops at damage or the end of what was written, and says
  // whether the file was whole.
  bool ForEach(absl::FunctionRef<void(const Event&)> visit) const;

 private:
  JitDump() = default;
  std::shared_ptr<const SafeFile> file_;
  ByteOrder order_ = kHostOrder;
  uint32_t header_size_ = 0;
  bool counter_times_ = false;
  int32_t pid_ = 0;
};

// Whether a mapping's name is that of a jitdump: ".../jit-PID.dump".
bool IsJitDumpName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_JIT_JITDUMP_H_
