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

// The record, time and event of a decoded sample. All references must be valid
// during the call that they are passed to.
struct SampleContext {
  const RawRecord& raw;
  std::optional<uint64_t> time;
  EventId event;
  const EventAttr& attr;  // of that event
  // The user part of the callchain, if it came in a CALLCHAIN_DEFERRED record.
  absl::Span<const uint64_t> deferred;
};

// Sets the callchain of a queued sample, its hash and its address space. The
// callchain is the recorded one, or is built: from a user stack dump, an LBR
// call stack, a deferred callchain or the sampled address. Inserts the leaf
// caller if registers show that a recorded callchain lacks it. Words of
// callchains are in the host's byte order. Not thread-safe.
class StackBuilder {
 public:
  // All must outlive the builder. Only the innermost `max_stack` frames are
  // kept; 0: all are.
  StackBuilder(TraceTables& tables, AddressSpaces& spaces, uint32_t max_stack,
               WorkMeter& work)
      : tables_(tables), spaces_(spaces), max_stack_(max_stack), work_(work) {}

  // Creates the unwinder; see UserStacks for the arguments. Must be called
  // before the first call of SetStack.
  void SetUnwinding(const std::string& arch,
                    std::unique_ptr<UnwindInfoSource> source);

  // Sets the stack of a sample by its key. The callchain points into the
  // sample's record, which lies in `block`.
  void SetFromKey(const TimedRecord& sample, const BlockRef& block,
                  ProcessState& process, QueuedSample* to) {
    to->sample.address_space = spaces_.CurrentIdOf(process);
    if (sample.callchain_words != 0) {
      SetRecorded(sample.key.callchain_hash, sample.callchain(), block, to);
    } else {
      SetAddress(sample.misc, sample.key.ip, to);
    }
  }
  // Sets the stack of a sample without a callchain.
  void SetFromAddress(uint16_t misc, uint64_t ip, ProcessState& process,
                      QueuedSample* to) {
    to->sample.address_space = spaces_.CurrentIdOf(process);
    SetAddress(misc, ip, to);
  }
  // Sets the stack of a decoded sample. The callchain may point into the
  // record, whose bytes must stay valid until the sample is emitted.
  // `context.raw.block` must be set. If the sample has a user stack dump and
  // `to->pending` is not null, sets only the address space and `*to->pending`,
  // and leaves the callchain empty. Then FinishPending must be called later.
  void SetStack(const SampleRecord& sample, const SampleContext& context,
                ProcessState& process, QueuedSample* to);
  // Sets the stack of a sample with PendingStack::waits. Unwinds the dump,
  // unless an UnwindHelper has unwound it and SetFromPending was called.
  void FinishPending(QueuedSample* to);
  // Sets the callchain and the hash of a sample whose pending stack was
  // unwound. May be called for different samples on several threads at once.
  static void SetFromPending(uint32_t max_stack, QueuedSample* to);
  // Valid from SetUnwinding to EndUnwinding.
  const UserStacks& user_stacks() const { return *user_stacks_; }
  // Sets the branches of a sample, without unused slots. They are valid until
  // the next call of SetBranches. The sample's address space must be set. Sets
  // Branch::stack and Branch::details only if `requested` has them.
  void SetBranches(const SampleRecord& sample, const ProcessState& process,
                   const EmitterRequirements& requested, QueuedSample* to);

  // Returns a stack of one frame: the function at a run-time address.
  StackId InternFunction(uint64_t address, ProcessState& process);

  // Returns the branches of the last call of SetBranches. Valid until the next
  // call of it.
  absl::Span<const Branch> branches() const {
    return {branches_.data(), branch_count_};
  }

  // Returns true if callchains are truncated to `max_stack` frames.
  bool has_stack_limit() const { return max_stack_ != 0; }
  // Returns the number of frames to which callchains are truncated; 0: none.
  uint32_t max_stack() const { return max_stack_; }
  // Return the number of user stack dumps that were unwound, and the number of
  // them that were too small. 0 before EndUnwinding.
  uint64_t unwound_stacks() const { return unwound_stacks_; }
  uint64_t incomplete_dumps() const { return incomplete_dumps_; }
  // Adds a note for each reason why stacks do not reach their ends, deferred
  // callchains that never came included, except for dumps that are too small:
  // see incomplete_dumps(). Frees the unwinder. To be called once, after the
  // last sample.
  void EndUnwinding(Diagnostics* diagnostics);

  // Returns the approximate memory of the call stacks of all threads, in bytes.
  uint64_t memory() const { return lbr_stacks_.memory(); }

 private:
  // Sets a recorded callchain, without copying it from its block.
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
  uint64_t without_deferred_ = 0;  // samples whose user callchain never came
  LbrStacks lbr_stacks_;
  PendingStack built_;  // a callchain that is being built
  // Those of the current sample come first.
  std::vector<Branch> branches_;
  size_t branch_count_ = 0;  // of the current sample
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_STACK_BUILDER_H_
