// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_SPARE_WORK_H_
#define PERF2X_BASE_SPARE_WORK_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace perf2x {

// Work of some stages that the thread of another stage does when it would have
// to wait. Thread-safe.
class SpareWork {
 public:
  // Does a part of the work. Returns false if there is none at the moment.
  using Work = std::function<bool()>;
  using OfferId = uint64_t;

  // Makes Do() call `work`, on any thread but never on two at once, until
  // Withdraw.
  OfferId Offer(Work work) {
    std::lock_guard lock(mutex_);
    offers_.emplace_back(++latest_, std::move(work));
    return latest_;
  }
  // Waits for a running Do(), and forgets the work.
  void Withdraw(OfferId offer) {
    std::lock_guard lock(mutex_);
    std::erase_if(offers_, [offer](const auto& o) { return o.first == offer; });
  }
  // Does a part of the work on offer, of the oldest offer that has some.
  // Returns false if there is none.
  bool Do() {
    std::lock_guard lock(mutex_);
    return std::any_of(offers_.begin(), offers_.end(),
                       [](const auto& offer) { return offer.second(); });
  }

 private:
  std::mutex mutex_;  // guards what follows
  OfferId latest_ = 0;
  std::vector<std::pair<OfferId, Work>> offers_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_SPARE_WORK_H_
