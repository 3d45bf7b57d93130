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
#include "converter/perf/records/user_records.h"
#include "converter/session/process_code.h"

namespace perf2x {

// How a recording's Intel PT traces were recorded.
struct PtRecording {
  PtSettings settings;
  // Converts the time-stamp counter to the recording's clock. Absent: steps
  // have no times.
  std::optional<TimeConvRecord> conversion;
  // Buffers are snapshots of a ring buffer, which may overlap.
  bool snapshots = false;
};

// The steps of the traced program in the Intel PT buffers of one CPU or thread,
// in order. If a buffer continues the one before it, even within a packet, the
// end of the earlier one is decoded again, and the steps continue. Trace that a
// snapshot repeats from the previous one is decoded once. Not thread-safe.
class PtQueue {
 public:
  // `cpu` is -1 if the buffers trace one thread, `tid`. Otherwise `tid` is the
  // thread that runs on `cpu` at first; -1: not known. The references must
  // outlive the queue.
  PtQueue(int32_t cpu, int32_t tid, const PtRecording& recording,
          ProcessCode& code, Diagnostics& diagnostics)
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
  // Sets the mappings for new steps; steps that are decoded again keep theirs.
  // To be called whenever the mappings may have changed. Returns true if it
  // keeps a copy of `maps`: then the caller must call
  // AddressMap::Arena::Freeze.
  bool SetCode(const ProcessMaps& maps);
  // Sets `*step` to the next step. Its kind is kNone at the end of each buffer,
  // and for each step that is decoded again. Returns false at the end of the
  // buffers so far.
  bool Next(PtStep* step);
  // Removes all buffers. Returns the number of bytes that were not decoded.
  uint64_t Drop();
  // Returns the work (Budget::kWork) since the last call. The caller charges
  // it.
  uint64_t TakeWork() { return std::exchange(work_, 0); }

  // Returns the time of the last step, in ns on the recording's clock; absent:
  // not known.
  std::optional<uint64_t> time() const { return time_; }
  // Return the owner of the current buffer's bytes, and the buffer's offset in
  // the recording. To be called after Next returned true.
  const BlockRef& block() const { return chunk_.block; }
  uint64_t offset() const { return chunk_.offset; }
  // Returns the offset in the recording of the bytes that were decoded last.
  uint64_t decode_offset() const {
    if (!decoder_.has_value()) return chunk_.offset;
    const size_t at = decoder_->offset();
    return is_joined_ && at >= seam_ ? buffers_[first_].offset + (at - seam_)
                                     : chunk_.offset + at;
  }

  // Returns the CPU that was passed to the constructor.
  int32_t cpu() const { return cpu_; }
  // Returns the thread that runs now; -1: not known.
  int32_t tid() const { return tid_; }
  // Sets the thread that runs on the CPU from now on; -1: not known.
  void SetThread(int32_t tid) { tid_ = tid; }
  // Returns the approximate memory in bytes, without the recording's blocks.
  uint64_t memory() const {
    constexpr uint64_t kDecoder = 4096;  // libipt's, with its image
    return buffers_.capacity() * sizeof(Chunk) + joined_bytes_ +
           (changes_.capacity() + tail_changes_.capacity()) *
               sizeof(CodeChange) +
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
  // The code of the steps from `step` on.
  struct CodeChange {
    uint64_t step = 0;
    ProcessMaps maps;
  };
  bool Begin();
  void SelectCode();
  void NoteCode();
  bool Continues(const Chunk& buffer);
  bool Join(const Chunk& buffer);
  const char* WhyNotAgain(size_t head) const;
  void CountEnd(const char* why);
  void CountSkipped(const Chunk& buffer);
  void End();

  int32_t cpu_;
  int32_t tid_;
  const PtRecording& recording_;
  ProcessCode& code_;
  Diagnostics& diagnostics_;
  std::vector<Chunk> buffers_;  // those before `first_` were read
  size_t first_ = 0;
  Chunk chunk_;                // being decoded
  bool is_joined_ = false;     // chunk_: the tail and what continues it
  size_t seam_ = 0;            // if so, the size of the tail
  bool continues_ = false;     // the first step of chunk_ begins no flow
  bool reached_next_ = false;  // the last chunk was followed up to the next
  uint64_t joined_bytes_ = 0;  // of chunk_, or of the tail
  uint64_t received_bytes_ = 0, decoded_again_ = 0;
  uint64_t work_ = 0;
  std::optional<PtDecoder> decoder_;
  // The end of the last buffer, to be decoded again with the next buffer, and
  // the number of its steps that Next has returned.
  Chunk tail_;
  bool tail_in_flow_ = false;  // see PtDecoder::Tail
  uint64_t tail_steps_ = 0;
  uint64_t known_steps_ = 0;  // left in chunk_ that Next has returned before
  ProcessMaps maps_;          // of SetCode
  // Changes for steps of decoder_ that may be decoded again; those of the tail.
  std::vector<CodeChange> changes_, tail_changes_;
  size_t next_change_ = 0;  // in tail_changes_
  Chunk snapshot_;          // the last one, for PtRecording::snapshots
  uint64_t tsc_ = 0;        // of time_
  std::optional<uint64_t> time_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_PT_QUEUE_H_
