// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_DUE_ORDER_H_
#define PERF2X_SESSION_DUE_ORDER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "converter/base/saturating_add.h"

namespace perf2x {

// The queues of a hardware trace that have undecoded trace, ordered by the time
// at which it begins. Of equal times, the lowest index comes first. Not
// thread-safe.
class DueOrder {
 public:
  struct Turn {
    uint32_t queue;
    // The queue is the earliest one until its time reaches this.
    uint64_t until;
  };

  bool empty() const { return due_.empty(); }
  // Returns true if a queue has trace before `time`.
  bool HasBefore(uint64_t time) const {
    return !empty() && due_.front().first < time;
  }
  // Adds a queue. It must not be in the order.
  void Push(uint64_t time, uint32_t queue) {
    due_.emplace_back(time, queue);
    std::push_heap(due_.begin(), due_.end(), std::greater<>());
  }
  // Removes the earliest queue. Its turn ends at `time` at the latest. Requires
  // that the order is not empty.
  Turn Pop(uint64_t time) {
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    const uint32_t queue = due_.back().second;
    due_.pop_back();
    return {queue, empty()
                       ? time
                       : std::min(time, SaturatingAdd(due_.front().first, 1))};
  }

 private:
  std::vector<std::pair<uint64_t, uint32_t>> due_;  // a heap
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_DUE_ORDER_H_
