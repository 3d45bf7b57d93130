// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_DELAYED_SAMPLES_H_
#define PERF2X_SESSION_DELAYED_SAMPLES_H_

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/block.h"
#include "converter/base/ordered_chunks.h"
#include "converter/session/queued_sample.h"
#include "converter/session/stack_builder.h"
#include "converter/session/unwind_helpers.h"

namespace perf2x {

// A queue of samples in which user stack dumps are unwound by several threads.
// Holds the blocks of the samples' records. A sample is emitted when a fixed
// number of bytes and samples has followed it, or by Drain; so what was emitted
// at a certain record does not depend on the number of threads. Errors are
// those of `emit`. All calls must come from one thread.
class DelayedSamples {
 public:
  // Emits a sample whose callchain and hash are set.
  using Emit = std::function<absl::Status(QueuedSample&)>;

  // Up to `helpers` threads unwind besides the caller's. `stacks`, which must
  // outlive the queue, unwinds what they cannot.
  DelayedSamples(StackBuilder& stacks, size_t helpers, Emit emit);

  // Sets `*slot` to the slot of the next sample, which still holds values of an
  // earlier one, and has QueuedSample::pending.
  absl::Status Push(QueuedSample** slot);
  // To be called after Push: the sample's record has `bytes` bytes of `block`.
  void Hold(const BlockRef& block, size_t bytes);
  // Emits all samples.
  absl::Status Drain();

 private:
  struct Slot {
    QueuedSample queued;
    PendingStack stack;
  };
  static constexpr size_t kSamplesInChunk = 64;
  static constexpr size_t kBytesInChunk = 512 << 10;

  // For OrderedChunks.
  struct Chunk {
    Chunk(UnwindHelpers* by, uint32_t max) : helpers(by), max_stack(max) {}
    void Work();
    void Clear();

    UnwindHelpers* helpers;  // null: Work does nothing
    uint32_t max_stack;
    std::vector<Slot> slots;  // kSamplesInChunk, or none yet
    size_t used = 0;          // slots
    size_t bytes = 0;         // of their records
    std::vector<BlockRef> blocks;
  };
  using Chunks = OrderedChunks<Chunk>;

  absl::Status Take(Chunk& chunk);

  StackBuilder& stacks_;
  const Emit emit_;
  UnwindHelpers helpers_;
  Chunks chunks_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_DELAYED_SAMPLES_H_
