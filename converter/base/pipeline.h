// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PIPELINE_H_
#define PERF2X_BASE_PIPELINE_H_

#include <algorithm>
#include <cstddef>

#include "converter/base/helper_pool.h"
#include "converter/base/spare_work.h"
#include "converter/base/worker_pool.h"

namespace perf2x {

// Decides which stages of a conversion run on threads of their own, and owns
// the pool of threads that help them. Must outlive the stages and the outputs.
// What is written does not depend on the number of threads. Only workers(),
// helpers() and the SpareWork are thread-safe.
class Pipeline {
 public:
  // A link from one stage to the next: a direct call, or a queue and a thread.
  enum class Edge {
    kReadRecords,  // reading and ordering records, before the session
    kSumSamples,   // summing up samples by stack: pprof, folded stacks; and
                   // times, with --wall-clock
    kPackPackets,  // compressing packets of Perfetto
  };

  // `threads` is the value of --threads; values below 1 count as 1. With 1, no
  // stage has a thread of its own. helpers(), which also do the work of
  // workers(), are one less. The threads of stages are not among them.
  explicit Pipeline(int threads)
      : threads_(std::max(1, threads)),
        helpers_("perf2x-helper", static_cast<size_t>(threads_) - 1),
        workers_(helpers_) {}

  // Returns true if `edge` is a queue and a thread.
  bool has_thread(Edge edge) const {
    switch (edge) {
      case Edge::kReadRecords:
      case Edge::kPackPackets:
        return threads_ > 1;
      case Edge::kSumSamples:
        return threads_ > 2 ||
               (threads_ == 2 && (reading_is_io_bound_ || reading_has_ended_));
    }
    return false;
  }
  // Returns what the thread that reads records does when it would have to wait
  // for the stages after it; null if there is no such thread.
  SpareWork* spare_work() {
    return has_thread(Edge::kReadRecords) ? &spare_work_ : nullptr;
  }
  // To be set before has_thread is called. True means that reading mostly waits
  // for bytes, as from a pipe, and so leaves its processor to other stages.
  void set_reading_is_io_bound(bool is_bound) {
    reading_is_io_bound_ = is_bound;
  }

  // To be called when the thread that reads records has ended, which leaves its
  // processor to other stages.
  void EndReading() { reading_has_ended_ = true; }

  // Returns the threads that help all queues of the conversion.
  HelperPool* helpers() { return &helpers_; }
  // Returns the queue of work in independent parts, which is helped first.
  WorkerPool& workers() { return workers_; }

 private:
  const int threads_;
  bool reading_is_io_bound_ = false, reading_has_ended_ = false;
  HelperPool helpers_;
  WorkerPool workers_;
  SpareWork spare_work_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_PIPELINE_H_
