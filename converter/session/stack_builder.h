// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_STACK_BUILDER_H_
#define PERF2X_SESSION_STACK_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/byte_order.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/timed_record.h"
#include "converter/session/address_spaces.h"
#include "converter/session/cpu_mode.h"
#include "converter/session/lbr_stacks.h"
#include "converter/session/queued_sample.h"
#include "converter/session/thread_table.h"
#include "converter/session/user_stacks.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// The record of a decoded sample, with facts that are not in its fields. All
// references must be valid during the call that they are passed to.
struct SampleContext {
  const RawRecord& raw;
  std::optional<uint64_t> time;
  EventId event;
  const EventAttr& attr;  // of that event
  // The user part of a callchain that came in a CALLCHAIN_DEFERRED record.
  absl::Span<const uint64_t> deferred;
};

// Sets the callchain of a queued sample, its hash and its address space. The
// callchain is the recorded one, or is built from a user stack dump, the
// processor's call stack (LBR), a deferred callchain, or the sampled address
// alone. If registers show that frame pointers skipped the caller of the leaf
// function, inserts that caller. Words of callchains are in the host's byte
// order. Not thread-safe.
class StackBuilder {
 public:
  // All must outlive the builder. Only the innermost `max_stack` frames are
  // kept; 0: all are.
  StackBuilder(TraceTables& tables, AddressSpaces& spaces, uint32_t max_stack,
               WorkMeter& work)
      : tables_(tables), spaces_(spaces), max_stack_(max_stack), work_(work) {}

  // Creates the unwinder; see UserStacks for the arguments. Must be called
  // before the first call of Set.
  void SetUnwinding(const std::string& arch,
                    std::unique_ptr<UnwindInfoSource> source);

  // Sets the stack of a sample of which only the key was read. The callchain
  // points into its record, which `block` holds.
  void SetFromKey(const TimedRecord& sample, const BlockRef& block,
                  ProcessState& process, QueuedSample* to) {
    to->sample.address_space = spaces_.CurrentIdOf(process);
    if (sample.callchain_words != 0) {
      SetRecorded(sample.key.callchain_hash, sample.callchain(), block, to);
    } else {
      SetAddress(sample.misc, sample.key.ip, to);
    }
  }
  // Sets the stack of a decoded sample. The callchain may point into the
  // record, whose bytes must stay valid until the sample is emitted.
  // `context.raw.block` must be set. If a user stack dump has to be unwound and
  // `to` has room for that (`pending`), the stack is not set yet, but waits for
  // FinishPending.
  void Set(const SampleRecord& sample, const SampleContext& context,
           ProcessState& process, QueuedSample* to);
  // Sets a stack that waits. Unwinds it, unless an UnwindHelper has done so;
  // then Finish must have been called, too.
  void FinishPending(QueuedSample* to);
  // Sets the callchain and the hash of a sample to those of its pending stack,
  // which was unwound. Thread-safe for different samples.
  static void Finish(uint32_t max_stack, QueuedSample* to);
  // From SetUnwinding to EndUnwinding.
  const UserStacks& user_stacks() const { return *user_stacks_; }
  // Sets the branches of a sample whose address space is set. They are valid
  // until the next call of SetBranches. `wanted` says whether Branch::stack and
  // Branch::details are set. Unused slots of the branch stack are omitted.
  void SetBranches(const SampleRecord& sample, const ProcessState& process,
                   const EmitterRequirements& wanted, QueuedSample* to);

  // Returns true if callchains are truncated to `max_stack` frames.
  bool has_stack_limit() const { return max_stack_ != 0; }
  // Returns the number of frames to which callchains are truncated; 0: none.
  uint32_t max_stack() const { return max_stack_; }
  // Return how many stacks were unwound, and how many of them need more of the
  // stack than was dumped. 0 before EndUnwinding.
  uint64_t unwound_stacks() const { return unwound_stacks_; }
  uint64_t incomplete_dumps() const { return incomplete_dumps_; }
  // Adds a note for each reason why stacks were not unwound to their ends, and
  // frees the unwinder. Dumps that are too small get no note: see
  // incomplete_dumps(). To be called once, after the last sample.
  void EndUnwinding(Diagnostics* diagnostics);

  // Returns the approximate memory of the call stacks of all threads, in bytes.
  uint64_t memory() const { return lbr_stacks_.memory(); }

 private:
  // Sets a recorded callchain, which is used where it lies in its block.
  void SetRecorded(const Hash128& hash, absl::Span<const uint8_t> callchain,
                   const BlockRef& block, QueuedSample* to) {
    to->callchain = callchain;
    to->stable = block->stable();
    if (!has_stack_limit()) return SetHash(hash, to);
    SetCut(callchain, to);
  }
  void SetAddress(uint16_t misc, uint64_t ip, QueuedSample* to) {
    to->copy.resize(2 * 8);
    Store(ContextMarkerOf(misc), to->copy.data(), kHostOrder);
    Store(ip, to->copy.data() + 8, kHostOrder);
    to->callchain = to->copy;
    to->stable = false;
    SetHash(HashBytes(to->callchain), to);
  }
  void SetHash(const Hash128& of_callchain, QueuedSample* to) {
    const Hash128 hash =
        StackTable::HashOf(to->sample.address_space, of_callchain);
    tables_.stacks.Prefetch(hash);
    to->SetHash(hash);
  }
  void SetCut(absl::Span<const uint8_t> callchain, QueuedSample* to);
  void SetPlain(const SampleRecord& sample, const SampleContext& context,
                QueuedSample* to);
  void SetUser(const SampleRecord& sample, const SampleContext& context,
               const ProcessState& process, QueuedSample* to);
  void AppendUserPart(const SampleRecord& sample, const SampleContext& context);
  bool InsertLeafCaller(const SampleRecord& sample,
                        const SampleContext& context,
                        const ProcessState& process);
  void Count(const PendingStack& stack);
  void SetWords(QueuedSample* to);
  StackId InternBranch(const Branch& branch, AddressSpaceId space,
                       const AddressMap& map);

  TraceTables& tables_;
  AddressSpaces& spaces_;
  const uint32_t max_stack_;
  WorkMeter& work_;
  std::optional<UserStacks> user_stacks_;  // from SetUnwinding on
  uint64_t unwound_stacks_ = 0, incomplete_dumps_ = 0;
  LbrStacks lbr_stacks_;
  PendingStack built_;            // a callchain that is being built
  std::vector<Branch> branches_;  // of the current sample
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_STACK_BUILDER_H_
