// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SAMPLE_KEY_H_
#define PERF2X_PERF_RECORDS_SAMPLE_KEY_H_

#include <cstdint>
#include <limits>

#include "converter/base/hash.h"

namespace perf2x {

// Stands for "no event" in place of an index into AttrTable::events().
inline constexpr uint32_t kNoEvent = ~0u;

// The part of a sample that every consumer needs. It is read before the sample
// is sorted, while the sample's bytes are in the processor's cache. Fields that
// samples do not record keep their defaults.
struct SampleKey {
  uint32_t event = kNoEvent;  // index into AttrTable::events()
  int32_t pid = -1, tid = -1;
  uint32_t cpu = ~0u;
  uint64_t ip = 0;
  uint64_t period = 0;     // RecordedEvent::default_period() if not recorded
  Hash128 callchain_hash;  // HashBytes of the callchain, if there is one
  // What the raw data of a scheduler's tracepoint say, if SchedKeyReader has
  // read them: the thread that is switched in or woken; kNotRead: not read.
  static constexpr int32_t kNotRead = std::numeric_limits<int32_t>::min();
  int32_t sched_tid = kNotRead;
  // With sched_tid: the low half of prev_state, or target_cpu.
  uint32_t sched_number = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SAMPLE_KEY_H_
