// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PIPELINE_H_
#define PERF2X_BASE_PIPELINE_H_

#include <algorithm>

#include "converter/base/worker_pool.h"

namespace perf2x {

// Decides which stages of a conversion run on threads of their own. What is
// written does not depend on it. Must outlive the stages; all calls but those
// of workers() must come from one thread.
class Pipeline {
 public:
  // Where a stage hands over to the next: by a call, or with a queue and a
  // thread.
  enum class Edge {
    kReadRecords,      // reading and ordering, ahead of the session
    kSumSamples,       // samples to pprof's sums
    kFindFrames,       // frames of stacks, ahead of pprof's samples
    kFormatRows,       // slices to Chrome's JSON
    kCompress,         // an output to gzip
    kCompressSamples,  // the same while pprof's samples are written
  };

  // `threads` may be busy at a time, the caller's included.
  explicit Pipeline(int threads)
      : threads_(std::max(1, threads)), workers_(threads_) {}

  bool has_thread(Edge edge) const {
    switch (edge) {
      case Edge::kReadRecords:
      case Edge::kFindFrames:
      case Edge::kFormatRows:
      case Edge::kCompress:
        return threads_ > 1;
      case Edge::kSumSamples:
        return threads_ > 2 || (threads_ == 2 && reading_waits_);
      case Edge::kCompressSamples:
        // Two threads share the work of writing samples best; a third has both
        // wait for it, and all for memory.
        return threads_ > 2;
    }
    return false;
  }
  // Reading has little more to do than to wait for bytes: those of a pipe.
  void set_reading_waits(bool waits) { reading_waits_ = waits; }

  // For work in independent parts.
  WorkerPool& workers() { return workers_; }

 private:
  const int threads_;
  bool reading_waits_ = false;
  WorkerPool workers_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_PIPELINE_H_
