#ifndef PERF2X_PROGRESS_H_
#define PERF2X_PROGRESS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "converter/input/input.h"

namespace perf2x {

// How much of the input has been dealt with. May be told by several threads.
class Progress {
 public:
  void AddInput(const Input& input);
  void Add(uint64_t bytes, uint64_t samples) {
    done_.fetch_add(bytes, std::memory_order_relaxed);
    samples_.fetch_add(samples, std::memory_order_relaxed);
  }
  uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  uint64_t samples() const { return samples_.load(std::memory_order_relaxed); }
  // 0: not known.
  uint64_t total() const { return total_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> done_{0}, samples_{0}, total_{0};
  std::atomic<bool> endless_{false};  // an input is a stream
};

// Where a conversion is in its input, told every so many records.
class ProgressOfInput {
 public:
  // Of a stream, which may be as slow as what it records, every record counts.
  explicit ProgressOfInput(Progress* progress)
      : progress_(progress),
        step_(progress != nullptr && progress->total() == 0 ? 1 : 1024) {}
  // A record's stream, offset and size.
  void At(uint16_t stream, uint64_t offset, uint64_t size, bool is_sample) {
    if (progress_ == nullptr) return;
    samples_ += is_sample;
    // Streams of a directory are mixed: only records' sizes add up.
    if (stream != 0) {
      bytes_ += size;
    } else if (offset > offset_) {
      bytes_ += offset - offset_;
      offset_ = offset;
    }
    if (++records_ % step_ == 0) {
      progress_->Add(bytes_, samples_);
      bytes_ = samples_ = 0;
    }
  }

 private:
  Progress* const progress_;
  const uint32_t step_;
  uint64_t offset_ = 0, bytes_ = 0, samples_ = 0;
  uint32_t records_ = 0;
};

// "perf2x: 45 % of 850 MB, 412 MB/s, 2 s left" `seconds` after the start; of a
// stream "perf2x: 18204 samples in 42 s, 3 MB".
std::string ProgressText(const Progress& progress, double seconds);

// Shows progress in a line on standard error, from a second after the start
// on, as long as it lives; then the line is gone.
class ProgressLine {
 public:
  // Whether anyone would see it: standard error is a terminal and not a log
  // that only calls itself one (CI is set).
  static bool Wanted();

  explicit ProgressLine(const Progress& progress);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows nothing while `f` prints.
  template <class F>
  void Pause(F f) {
    const std::lock_guard lock(mutex_);
    Clear();
    f();
  }

 private:
  void Run();
  void Clear();

  const Progress& progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool shown_ = false;
  std::thread thread_;
};

}  // namespace perf2x

#endif  // PERF2X_PROGRESS_H_
