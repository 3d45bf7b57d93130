// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_DELAYED_SAMPLES_H_
#define PERF2X_SESSION_DELAYED_SAMPLES_H_

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
// Holds the blocks of the samples' records. Samples wait in chunks, of 64 or of
// records of about 512 KiB; 15 chunks later, or by Drain, they are emitted. So
// the number of threads does not change when a sample is emitted. Samples are
// emitted in the order of Push. Returns the errors of `emit`. All calls must
// come from one thread, which also calls `emit`.
class DelayedSamples {
 public:
  // Emits a sample whose callchain and hash are set.
  using Emit = std::function<absl::Status(QueuedSample&)>;

  // Threads of `helpers` unwind besides the caller's; null: only the caller's
  // does. Both must outlive the queue. `stacks` unwinds, on the caller's
  // thread, the stacks that the others cannot unwind.
  DelayedSamples(StackBuilder& stacks, HelperPool* helpers, Emit emit);

  // Sets `*slot` to the slot of the next sample, with QueuedSample::pending
  // set and no postponed fields. The slot still holds values of an earlier
  // sample. The caller must set them before the next call. May emit earlier
  // samples.
  absl::Status Push(QueuedSample** slot);
  // To be called after Push. Keeps `block` until the sample is emitted. `bytes`
  // is the size of its record and of a copied callchain.
  void HoldBlock(const BlockRef& block, size_t bytes);
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
    size_t bytes = 0;         // of their records and copied callchains
    std::vector<BlockRef> blocks;
  };
  using Chunks = OrderedChunks<Chunk>;

  absl::Status Consume(Chunk& chunk);

  StackBuilder& stacks_;
  const Emit emit_;
  UnwindHelpers helpers_;
  Chunks chunks_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_DELAYED_SAMPLES_H_
