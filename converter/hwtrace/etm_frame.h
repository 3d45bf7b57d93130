// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ETM_FRAME_H_
#define PERF2X_HWTRACE_ETM_FRAME_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace perf2x {

// Tells which source has which bytes of a trace in the frames of CoreSight's
// formatter: Arm IHI 0029, appendix "Trace Formatter".
class EtmFrameReader {
 public:
  static constexpr size_t kFrameSize = 16;
  // Stands for the id of bytes that no id comes before.
  static constexpr uint8_t kNoId = 0x80;

  // Reads a frame, which must have its full size. Calls `found` with the id and
  // the number of bytes of each run of one source's bytes. Returns the number
  // of ids in the frame. Four FSYNC packets in place of a frame make the
  // current source unknown.
  uint64_t Read(absl::Span<const uint8_t> frame,
                absl::FunctionRef<void(uint8_t id, size_t bytes)> found);
  // Forgets the current source.
  void Reset() { id_ = kNoId; }

 private:
  uint8_t id_ = kNoId;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_FRAME_H_
