#ifndef PERF2X_SYMBOLIZE_THREAD_BUDGET_H_
#define PERF2X_SYMBOLIZE_THREAD_BUDGET_H_

#include <algorithm>
#include <atomic>

namespace perf2x {

// The number of threads that may work at the same time. Callers symbolize files
// in parallel; if threads are spare then, a large file uses several.
// Thread-safe.
class ThreadBudget {
 public:
  explicit ThreadBudget(int threads) : spare_(threads) {}

  // Reserves up to `count` spare threads. Returns the number reserved.
  int Reserve(int count) {
    int spare = spare_.load();
    int reserved;
    do {
      reserved = std::clamp(spare, 0, count);
    } while (!spare_.compare_exchange_weak(spare, spare - reserved));
    return reserved;
  }
  void Release(int threads) { spare_ += threads; }
  // Reserves the calling thread, which works in any case.
  void ReserveCaller() { --spare_; }

 private:
  std::atomic<int> spare_;  // below 0: more threads work than planned
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_THREAD_BUDGET_H_
