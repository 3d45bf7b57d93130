// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SAMPLE_KEY_H_
#define PERF2X_PERF_RECORDS_SAMPLE_KEY_H_

#include <cstdint>

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
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SAMPLE_KEY_H_
