// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_PROGRESS_H_
#define PERF2X_CONVERT_PROGRESS_H_

#include <atomic>
#include <cstdint>

#include "converter/input/input.h"

namespace perf2x {

// How much of one or several inputs has been processed. Add and the getters are
// thread-safe.
class Progress {
 public:
  // Adds the size of an input to total_bytes(). To be called when the input is
  // opened, before its ProgressTracker is made.
  void AddInput(const Input& input);
  // Adds bytes and samples that have been processed.
  void Add(uint64_t bytes, uint64_t samples) {
    done_.fetch_add(bytes, std::memory_order_relaxed);
    samples_.fetch_add(samples, std::memory_order_relaxed);
  }
  // Returns the number of bytes processed so far, which may exceed
  // total_bytes().
  uint64_t done_bytes() const { return done_.load(std::memory_order_relaxed); }
  // Returns the number of samples processed so far.
  uint64_t samples() const { return samples_.load(std::memory_order_relaxed); }
  // Returns the size in bytes of the inputs added so far; 0 if it is not known
  // because one of them is a stream.
  uint64_t total_bytes() const {
    return total_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> done_{0}, samples_{0}, total_{0};
  std::atomic<bool> endless_{false};  // an input is a stream
};

// Counts the records that a conversion has read, and adds them to a Progress
// 1024 at a time. The last records of an input may never be added. Not
// thread-safe.
class ProgressTracker {
 public:
  // `progress` must outlive this; null: does nothing. For streams, which may be
  // as slow as the recorded program, adds each record at once.
  explicit ProgressTracker(Progress* progress)
      : progress_(progress),
        step_(progress != nullptr && progress->total_bytes() == 0 ? 1 : 1024) {}
  // Counts a record of `size` bytes, header included, at `offset` in its
  // stream. `stream` is RawRecord::stream; offsets matter for stream 0 only.
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
