#ifndef PERF2X_SYMBOLIZE_THREAD_BUDGET_H_
#define PERF2X_SYMBOLIZE_THREAD_BUDGET_H_

#include <algorithm>
#include <atomic>

namespace perf2x {

// How many threads may be at work. Files are named in parallel by whoever asks;
// when that leaves threads over, a large file takes several. Thread-safe.
class ThreadBudget {
 public:
  explicit ThreadBudget(int threads) : spare_(threads) {}

  // Takes up to `wanted` threads of those that are left and says how many.
  int Take(int wanted) {
    int spare = spare_.load();
    int taken;
    do {
      taken = std::clamp(spare, 0, wanted);
    } while (!spare_.compare_exchange_weak(spare, spare - taken));
    return taken;
  }
  void Give(int threads) { spare_ += threads; }
  // For a thread that works in any case.
  void TakeOne() { --spare_; }

 private:
  std::atomic<int> spare_;  // below 0: more are at work than planned
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_THREAD_BUDGET_H_
