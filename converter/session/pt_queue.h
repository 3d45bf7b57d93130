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

// How the traces of a recording were made.
struct PtRecording {
  PtSettings settings;
  // From the time-stamp counter to the recording's time; absent: not known.
  std::optional<TimeConvRecord> conversion;
};

// The steps of the program in the Intel PT buffers of one CPU or thread, one
// after the other. A buffer may end within a packet: where the next one
// continues it, so do the steps. Not thread-safe.
class PtQueue {
 public:
  // `tid` is the thread that the buffers are of; if `cpu` is not -1, the first
  // one of `cpu`. The others must outlive the queue.
  PtQueue(int32_t cpu, int32_t tid, const PtRecording& recording,
          TracedCode& code, Diagnostics& diagnostics)
      : cpu_(cpu),
        tid_(tid),
        recording_(recording),
        code_(code),
        diagnostics_(diagnostics) {}

  // Appends a buffer, which lies at `offset` of the recording and at `place` of
  // all that was traced; `block` owns its bytes. Ignores an empty one.
  void Add(absl::Span<const uint8_t> trace, BlockRef block, uint64_t offset,
           uint64_t place);
  // Sets `*step` to the next step. It is kNone for a step that came before, and
  // at the end of a buffer. Returns false at the end of the buffers so far.
  bool Next(PtStep* step);
  // Removes all buffers, and returns their bytes.
  uint64_t Drop();
  // Returns the steps of Budget::kWork since the last call: those of the
  // program, and what beginning with a buffer costs.
  uint64_t TakeWork() { return std::exchange(work_, 0); }

  // The time of the last step, in ns on the recording's clock; absent if it is
  // not known.
  std::optional<uint64_t> time() const { return time_; }
  // Owner and offset of the current buffer; there must be one.
  const BlockRef& block() const { return chunk_.block; }
  uint64_t offset() const { return chunk_.offset; }
  // The place in the recording of what was decoded last.
  uint64_t place() const {
    return chunk_.offset + (decoder_.has_value() ? decoder_->offset() : 0);
  }

  int32_t cpu() const { return cpu_; }
  int32_t tid() const { return tid_; }
  // Sets the thread that runs on the CPU from now on; -1: not known.
  void SetThread(int32_t tid) { tid_ = tid; }
  // The bytes that it holds besides those of the recording's blocks.
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
