// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ETM_FRAME_H_
#define PERF2X_HWTRACE_ETM_FRAME_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace perf2x {

// Finds the source of each byte of a trace that is in the frames of CoreSight's
// formatter: Arm IHI 0029, appendix "Trace Formatter".
class EtmFrameReader {
 public:
  static constexpr size_t kFrameSize = 16;
  // Passed to `found` in place of an id for bytes before the first id.
  static constexpr uint8_t kNoId = 0x80;

  // Reads a frame, which must have its full size. For each run of bytes from
  // one source, calls `found` with the source's id and the run's length.
  // Returns the number of id bytes in the frame, a measure of the decoder's
  // work. Four FSYNC packets in place of a frame make the current source
  // unknown.
  uint64_t Read(absl::Span<const uint8_t> frame,
                absl::FunctionRef<void(uint8_t id, size_t bytes)> found);
  // Forgets the current source.
  void Reset() { id_ = kNoId; }

 private:
  uint8_t id_ = kNoId;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_FRAME_H_
