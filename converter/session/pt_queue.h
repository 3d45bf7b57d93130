// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_PT_QUEUE_H_
#define PERF2X_SESSION_PT_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/pt_decoder.h"
#include "converter/hwtrace/traced_code.h"
#include "converter/perf/records/user_records.h"

namespace perf2x {

// How a recording's Intel PT traces were recorded.
struct PtRecording {
  PtSettings settings;
  // From the time-stamp counter to the recording's clock. Absent: steps have no
  // times.
  std::optional<TimeConvRecord> conversion;
  // Buffers are snapshots of a ring buffer, which may overlap.
  bool snapshots = false;
};

// The steps of the traced program in the Intel PT buffers of one CPU or thread,
// in order. If a buffer continues the one before it, even within a packet, the
// steps continue too. Not thread-safe.
class PtQueue {
 public:
  // `cpu` is -1 if the buffers trace one thread, `tid`. Otherwise `tid` is the
  // thread that runs on `cpu` at first; -1: not known. The references must
  // outlive the queue.
  PtQueue(int32_t cpu, int32_t tid, const PtRecording& recording,
          TracedCode& code, Diagnostics& diagnostics)
      : cpu_(cpu),
        tid_(tid),
        recording_(recording),
        code_(code),
        diagnostics_(diagnostics) {}

  // Appends a buffer. `offset` is its offset in the recording, `aux_offset` its
  // offset in the AUX data of the CPU or thread. `block` owns the bytes.
  // Ignores an empty buffer.
  void Add(absl::Span<const uint8_t> trace, BlockRef block, uint64_t offset,
           uint64_t aux_offset);
  // Sets `*step` to the next step. Sets it to kNone at the end of each buffer,
  // and for each step that is decoded again to continue a buffer. Returns false
  // at the end of the buffers so far.
  bool Next(PtStep* step);
  // Removes all buffers. Returns the bytes that were not decoded completely.
  uint64_t Drop();
  // Returns the work (Budget::kWork) since the last call. The caller charges
  // it.
  uint64_t TakeWork() { return std::exchange(work_, 0); }

  // Returns the time of the last step, in ns on the recording's clock; absent:
  // not known.
  std::optional<uint64_t> time() const { return time_; }
  // Return the owner of the current buffer's bytes, and its offset in the
  // recording. To be called after Next returned true.
  const BlockRef& block() const { return chunk_.block; }
  uint64_t offset() const { return chunk_.offset; }
  // Returns the offset in the recording of the bytes that were decoded last.
  uint64_t decode_offset() const {
    return chunk_.offset + (decoder_.has_value() ? decoder_->offset() : 0);
  }

  int32_t cpu() const { return cpu_; }
  int32_t tid() const { return tid_; }
  // Sets the thread that runs on the CPU from now on; -1: not known.
  void SetThread(int32_t tid) { tid_ = tid; }
  // Returns the approximate memory in bytes, without the recording's blocks.
  uint64_t memory() const {
    constexpr uint64_t kDecoder = 4096;  // libipt's, with its image
    return buffers_.capacity() * sizeof(Chunk) + joined_bytes_ +
           (decoder_.has_value() ? kDecoder : 0);
  }

 private:
  // Bytes of trace without a gap.
  struct Chunk {
    absl::Span<const uint8_t> bytes;
    BlockRef block;
    uint64_t offset = 0, place = 0;
    size_t stop = PtDecoder::kNowhere;  // see PtDecoder
  };
  bool Begin();
  bool Join(const Chunk& buffer);
  void CountSkipped(const Chunk& buffer);
  void End();

  int32_t cpu_;
  int32_t tid_;
  const PtRecording& recording_;
  TracedCode& code_;
  Diagnostics& diagnostics_;
  std::vector<Chunk> buffers_;  // of which those before `first_` were read
  size_t first_ = 0;
  Chunk chunk_;                // that is decoded
  bool is_joined_ = false;     // chunk_: the tail and what continues it
  bool continues_ = false;     // the first step of chunk_ begins no flow
  uint64_t joined_bytes_ = 0;  // of chunk_, or of the tail
  uint64_t work_ = 0;
  std::optional<PtDecoder> decoder_;
  // The last buffer from the last PSB packet on that was reached, and the steps
  // since then: the next buffer may continue it.
  Chunk tail_;
  uint64_t tail_steps_ = 0;
  uint64_t known_steps_ = 0;  // of chunk_, still to come, that came before
  uint64_t tsc_ = 0;          // of time_
  std::optional<uint64_t> time_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_PT_QUEUE_H_
