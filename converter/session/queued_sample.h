// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_QUEUED_SAMPLE_H_
#define PERF2X_SESSION_QUEUED_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"
#include "converter/base/hash.h"
#include "converter/model/emitter.h"
#include "converter/perf/records/sample.h"
#include "converter/session/sched_events.h"
#include "converter/session/user_stacks.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// The input for unwinding the stack of a sample and, after Unwind, its
// callchain. Points into the sample's record.
struct PendingStack {
  // If set, the sample has no callchain yet: it gets `words` after Unwind.
  bool waits = false;
  UnwindInput input;
  WordSpan recorded;  // the recorded callchain
  size_t user = 0;    // index of the first user word in `recorded`
  // The callchain if unwinding finds no address: a context marker and an
  // address.
  uint64_t marker = 0, ip = 0;
  // The kernel's part of the callchain; after Unwind, the whole callchain.
  std::vector<uint64_t> words;
  std::optional<UnwindOutcome> unwound;  // set by Unwind

  // Unwinds `input` with `stacks`, which is UserStacks or an UnwindHelper. On
  // success sets `unwound`, completes `words` and returns 0. If `stacks` cannot
  // unwind it, changes nothing and returns the work of the attempt, in steps of
  // Budget::kWork.
  template <class Stacks>
  uint64_t Unwind(Stacks& stacks) {
    const size_t kernel = words.size();
    UnwindOutcome how;
    if (!stacks.Append(input, &words, &how)) {
      const uint64_t in_vain = how.work + (words.size() - kernel);
      words.resize(kernel);
      return in_vain;
    }
    Complete(kernel);
    unwound = how;
    return 0;
  }
  // If `words` has no address, sets it to `marker` and `ip`.
  void EnsureAddress();

 private:
  void Complete(size_t kernel);
};

// The record of a sample whose fields are decoded when it is emitted. Points
// into the record's bytes.
struct PostponedFields {
  // If set, the sample has no fields yet.
  bool wait = false;
  absl::Span<const uint8_t> body;
  ByteOrder order = kHostOrder;
  uint16_t misc = 0;
  uint64_t offset = 0;                       // of the record
  EventId event = 0;                         // index in the AttrTable
  const TracepointFormat* format = nullptr;  // of raw data; null: not known
};

// A sample whose stack is not in the table yet.
struct QueuedSample {
  Sample sample;  // `stack` is not set
  // Hash of the address space and the callchain (StackTable::HashOf).
  Hash128 hash;
  // Empty if an earlier queued sample has the same stack.
  absl::Span<const uint8_t> callchain;
  bool stable = false;  // `callchain` lies in a stable block
  // The bytes of `callchain`, if it cannot point into the record.
  std::vector<uint8_t> copy;
  // Has decoded `sched_numbers`, which say who was switched or woken, to be
  // reported after the sample; null: nothing is to be reported.
  SchedPayloads* sched = nullptr;
  SchedNumbers sched_numbers;
  // Returns the number of bytes of `callchain` in `copy`.
  size_t copied_bytes() const {
    return callchain.data() == copy.data() ? callchain.size() : 0;
  }
  Field event_id;  // Sample::fields may refer to it
  // Receives a stack that is unwound later. Null: stacks must be unwound before
  // the sample is queued.
  PendingStack* pending = nullptr;
  PostponedFields postponed;

  // Sets `hash` by halves: `from` was just stored as two words, and one wide
  // load would prevent store forwarding.
  void SetHash(const Hash128& from) {
    hash.low = from.low;
    hash.high = from.high;
  }
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_QUEUED_SAMPLE_H_
