// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_PROGRESS_H_
#define PERF2X_CONVERT_PROGRESS_H_

#include <atomic>
#include <cstdint>

#include "converter/input/input.h"

namespace perf2x {

// How much of the input has been processed. Add and the getters are
// thread-safe.
class Progress {
 public:
  void AddInput(const Input& input);
  void Add(uint64_t bytes, uint64_t samples) {
    done_.fetch_add(bytes, std::memory_order_relaxed);
    samples_.fetch_add(samples, std::memory_order_relaxed);
  }
  uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  uint64_t samples() const { return samples_.load(std::memory_order_relaxed); }
  // Returns the size of all inputs in bytes; 0 if it is not known.
  uint64_t total() const { return total_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> done_{0}, samples_{0}, total_{0};
  std::atomic<bool> endless_{false};  // an input is a stream
};

// Counts the records that a conversion has read, and updates a Progress every
// 1024 records.
class ProgressTracker {
 public:
  // For a stream, which may be as slow as the recorded program, updates at
  // every record.
  explicit ProgressTracker(Progress* progress)
      : progress_(progress),
        step_(progress != nullptr && progress->total() == 0 ? 1 : 1024) {}
  // Adds a record, by its stream, offset and size.
  void OnRecord(uint16_t stream, uint64_t offset, uint64_t size,
                bool is_sample) {
    if (progress_ == nullptr) return;
    samples_ += is_sample;
    // The streams of a directory are interleaved, so sizes of records are
    // summed instead of following the offset.
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

}  // namespace perf2x

#endif  // PERF2X_CONVERT_PROGRESS_H_
