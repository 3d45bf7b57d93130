// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_SPARE_WORK_H_
#define PERF2X_BASE_SPARE_WORK_H_

#include <functional>
#include <mutex>
#include <utility>

namespace perf2x {

// Work of one stage that the thread of another stage does when it would have to
// wait. Thread-safe.
class SpareWork {
 public:
  // Does a part of the work. Returns false if there is none at the moment.
  using Work = std::function<bool()>;

  // Makes Do() call `work`, on any thread but never on two at once, until
  // Withdraw. Returns false if other work is on offer.
  bool Offer(Work work) {
    std::lock_guard lock(mutex_);
    if (work_) return false;
    work_ = std::move(work);
    return true;
  }
  // Waits for a running `work`, and forgets it.
  void Withdraw() {
    std::lock_guard lock(mutex_);
    work_ = nullptr;
  }
  // Does a part of the work on offer. Returns false if there is none.
  bool Do() {
    std::lock_guard lock(mutex_);
    return work_ && work_();
  }

 private:
  std::mutex mutex_;
  Work work_;  // guarded by mutex_; empty: none
};

}  // namespace perf2x

#endif  // PERF2X_BASE_SPARE_WORK_H_
