// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_COUNTER_KEY_H_
#define PERF2X_SESSION_COUNTER_KEY_H_

#include <cstdint>
#include <utility>

namespace perf2x {

// Identifies a counter as the kernel keeps it. An inherited event counts each
// thread separately, under one id.
struct CounterKey {
  uint64_t id;  // the kernel's id of the event instance
  int32_t tid;  // -1 if the counter is not per thread
  friend bool operator==(const CounterKey&, const CounterKey&) = default;
  template <class H>
  friend H AbslHashValue(H h, const CounterKey& c) {
    return H::combine(std::move(h), c.id, c.tid);
  }
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_COUNTER_KEY_H_
