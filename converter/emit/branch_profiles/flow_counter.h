// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_FLOW_COUNTER_H_
#define PERF2X_EMIT_BRANCH_PROFILES_FLOW_COUNTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/base/budget.h"
#include "converter/base/consumer_queue.h"
#include "converter/emit/branch_profiles/flow_table.h"

namespace perf2x {

// Sums flows up in a FlowTable, batch by batch. Charges no budget; see
// memory(). Once the budget is exhausted, counts only flows that were counted
// before, and drops new ones. Neither timing nor the number of threads affects
// the result. All calls must come from one thread.
class FlowCounter {
 public:
  // If `on_thread` is set, sums on a separate thread. `budget` must outlive the
  // object.
  FlowCounter(bool on_thread, const Budget& budget);

  // Adds the counters of `flow` to those of equal flows. Must not be called
  // after Finish. Returns true if memory() may have changed.
  bool Add(const Flow& flow) {
    std::vector<Flow>& flows = queue_.item().flows;
    flows.push_back(flow);
    if (flows.size() < kBatch) return false;
    Push();
    return true;
  }
  // Waits until all flows are summed up. To be called once.
  void Finish();

  // Returns the table's memory in bytes some batches ago or, after Finish, now.
  uint64_t memory() const { return memory_; }
  // The following must be called only after Finish.
  const FlowTable& flows() const { return table_; }
  // Returns how many branches and runs were dropped for the budget.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Batch {
    std::vector<Flow> flows;
    uint64_t number = 0;     // from 0
    bool exhausted = false;  // the budget was, when the batch was pushed
  };
  static constexpr size_t kBatch = 1024, kBatches = 8;

  void Push();
  void Sum(Batch& batch);
  void SumOne(uint64_t hash, const Flow& flow, bool exhausted);

  const Budget& budget_;
  uint64_t pushed_ = 0;  // batches
  uint64_t memory_ = 0;

  // Until Finish, only used by the thread that sums.
  FlowTable table_;
  uint64_t dropped_ = 0;
  // The table's memory after a batch, by the batch's number. The caller reads
  // that of a batch when kBatches later ones have been pushed: the queue then
  // has handed it over.
  std::array<uint64_t, kBatches> memory_after_{};

  ConsumerQueue<Batch> queue_;  // uses the members above
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_FLOW_COUNTER_H_
