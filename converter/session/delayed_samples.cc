// SPDX-License-Identifier: Apache-2.0
#include "converter/session/delayed_samples.h"

#include <memory>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/input_pages.h"

namespace perf2x {
namespace {

// Words of callchains that a chunk holds at most, about: damaged unwind
// information makes long callchains of small dumps.
constexpr size_t kWordsInChunk = 64 << 10;
// Steps of work for stacks of a chunk that then must be unwound again: no
// budget is charged for these.
constexpr uint64_t kMaxInVain = 4096;
// Longer callchains leave no memory behind.
constexpr size_t kWordsKept = 1024;

}  // namespace

DelayedSamples::DelayedSamples(StackBuilder& stacks, HelperPool* helpers,
                               Emit emit)
    : stacks_(stacks),
      emit_(std::move(emit)),
      chunks_(
          helpers, [this](Chunk& chunk) { return Consume(chunk); },
          // Without other threads, `stacks` unwinds all in its turn.
          Chunk(helpers != nullptr && helpers->size() > 0 ? &helpers_ : nullptr,
                stacks.max_stack())) {
  // A chunk may exceed its limit by one record.
  static_assert(
      Chunks::kAhead * (kBytesInChunk + kMaxRecordSize) <= kMaxDelayedBytes,
      "the reader would release pages that are not unwound yet");
}

absl::Status DelayedSamples::Push(QueuedSample** slot) {
  if (chunks_.chunk().used == kSamplesInChunk ||
      chunks_.chunk().bytes >= kBytesInChunk) {
    RETURN_IF_ERROR(chunks_.Push());
  }
  Chunk& chunk = chunks_.chunk();
  if (chunk.slots.empty()) chunk.slots.resize(kSamplesInChunk);
  Slot& next = chunk.slots[chunk.used++];
  next.stack.waits = false;
  next.queued.pending = &next.stack;
  next.queued.postponed.wait = false;
  *slot = &next.queued;
  return absl::OkStatus();
}

void DelayedSamples::HoldBlock(const BlockRef& block, size_t bytes) {
  Chunk& chunk = chunks_.chunk();
  chunk.bytes += bytes;
  if (!block->stable() &&
      (chunk.blocks.empty() || !(chunk.blocks.back() == block))) {
    chunk.blocks.push_back(block);
  }
}

absl::Status DelayedSamples::Drain() {
  Chunk& last = chunks_.chunk();
  if (chunks_.idle()) {
    // Not worth a thread.
    if (last.used == 0) return absl::OkStatus();
    absl::Status status = Consume(last);
    last.Clear();
    return status;
  }
  if (last.used > 0) RETURN_IF_ERROR(chunks_.Push());
  return chunks_.Finish();
}

void DelayedSamples::Chunk::Work() {
  if (helpers == nullptr) return;
  std::unique_ptr<UnwindHelper> helper = helpers->Acquire();
  size_t words = 0;
  uint64_t in_vain = 0;
  for (size_t i = 0; i < used; ++i) {
    if (words >= kWordsInChunk || in_vain >= kMaxInVain) break;
    PendingStack& stack = slots[i].stack;
    if (!stack.waits) continue;
    in_vain += stack.Unwind(*helper);
    if (!stack.unwound.has_value()) continue;
    words += stack.words.size();
    StackBuilder::SetFromPending(max_stack, &slots[i].queued);
  }
  helpers->Release(std::move(helper));
}

void DelayedSamples::Chunk::Clear() {
  for (size_t i = 0; i < used; ++i) {
    std::vector<uint64_t>& words = slots[i].stack.words;
    if (words.capacity() > kWordsKept) std::vector<uint64_t>().swap(words);
    std::vector<uint8_t>& copy = slots[i].queued.copy;
    if (copy.capacity() > kWordsKept * 8) std::vector<uint8_t>().swap(copy);
  }
  used = bytes = 0;
  blocks.clear();
}

absl::Status DelayedSamples::Consume(Chunk& chunk) {
  size_t missed = 0;
  for (size_t i = 0; i < chunk.used; ++i) {
    Slot& slot = chunk.slots[i];
    if (!slot.stack.waits) continue;
    missed += slot.stack.unwound.has_value() ? 0 : 1;
    stacks_.FinishPending(&slot.queued);
  }
  if (chunk.helpers != nullptr) {
    helpers_.Update(stacks_.user_stacks(), missed);
  }
  for (size_t i = 0; i < chunk.used; ++i) {
    RETURN_IF_ERROR(emit_(chunk.slots[i].queued));
  }
  return absl::OkStatus();
}

}  // namespace perf2x
