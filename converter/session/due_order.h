// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_DUE_ORDER_H_
#define PERF2X_SESSION_DUE_ORDER_H_

#include <algorithm>
#include <cstddef>
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
  // Returns the earliest queue, which stays in the order. Its turn ends at
  // `time` at the latest. This and the functions below require that the order
  // is not empty.
  Turn First(uint64_t time) const {
    const uint64_t next =
        due_.size() == 1 ? ~uint64_t{0} : due_[Child(0)].first;
    return {due_.front().second, std::min(time, SaturatingAdd(next, 1))};
  }
  // Changes the time of the earliest queue.
  void MoveFirst(uint64_t time) { Sink({time, due_.front().second}); }
  // Removes the earliest queue.
  void RemoveFirst() {
    const std::pair<uint64_t, uint32_t> last = due_.back();
    due_.pop_back();
    if (!empty()) Sink(last);
  }

 private:
  // Returns the lesser child of an element of the heap, which must have one.
  size_t Child(size_t at) const {
    const size_t child = 2 * at + 1;
    return child + 1 < due_.size() && due_[child + 1] < due_[child] ? child + 1
                                                                    : child;
  }
  // Puts an element in place of the first one. Queues alternate quickly, so
  // this is one pass, not one to remove and one to add.
  void Sink(std::pair<uint64_t, uint32_t> value) {
    size_t at = 0;
    while (2 * at + 1 < due_.size()) {
      const size_t child = Child(at);
      if (!(due_[child] < value)) break;
      due_[at] = due_[child];
      at = child;
    }
    due_[at] = value;
  }

  std::vector<std::pair<uint64_t, uint32_t>> due_;  // a heap
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_DUE_ORDER_H_
