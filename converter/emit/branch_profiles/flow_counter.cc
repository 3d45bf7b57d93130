// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/flow_counter.h"

#include <algorithm>
#include <limits>

#include "converter/base/saturating_add.h"

namespace perf2x {

FlowCounter::FlowCounter(bool on_thread, const Budget& budget)
    : budget_(budget),
      queue_("perf2x-count", on_thread, kBatches, [this](Batch& batch) {
        Sum(batch);
        return absl::OkStatus();
      }) {}

void FlowCounter::Push() {
  Batch& batch = queue_.item();
  batch.number = pushed_++;
  batch.exhausted = budget_.exhausted();
  queue_.Push().IgnoreError();  // Sum returns no error
  // That of the batch kBatches before the next one, whose place is free now.
  memory_ = memory_after_[pushed_ % kBatches];
}

void FlowCounter::Finish() {
  queue_.item().number = pushed_;
  queue_.item().exhausted = budget_.exhausted();
  queue_.Finish().IgnoreError();
  Sum(queue_.item());
  memory_ = table_.memory();
}

// The slots of the next flows are being fetched while one is counted.
void FlowCounter::Sum(Batch& batch) {
  constexpr size_t kAhead = 16;
  std::array<uint64_t, kAhead> hashes;
  const std::vector<Flow>& flows = batch.flows;
  const auto fetch = [&](size_t i) {
    const uint64_t hash =
        FlowTable::HashOf(flows[i].source, flows[i].target, flows[i].end);
    table_.Prefetch(hash);
    hashes[i % kAhead] = hash;
  };
  for (size_t i = 0; i < std::min(kAhead, flows.size()); ++i) fetch(i);
  for (size_t i = 0; i < flows.size(); ++i) {
    const uint64_t hash = hashes[i % kAhead];
    if (i + kAhead < flows.size()) fetch(i + kAhead);
    SumOne(hash, flows[i], batch.exhausted);
  }
  batch.flows.clear();
  memory_after_[batch.number % kBatches] = table_.memory();
}

void FlowCounter::SumOne(uint64_t hash, const Flow& flow, bool exhausted) {
  constexpr uint32_t kMax = std::numeric_limits<uint32_t>::max();
  Flow* const sum = table_.Find(hash, flow.source, flow.target, flow.end);
  if (sum != nullptr) {
    sum->count = SaturatingAdd(sum->count, flow.count);
    sum->bounds = SaturatingAdd(sum->bounds, flow.bounds);
    sum->mispredicted += std::min(kMax - sum->mispredicted, flow.mispredicted);
  } else if (exhausted) {
    dropped_ = SaturatingAdd(dropped_, flow.taken());
    dropped_ = SaturatingAdd(dropped_, flow.runs());
  } else {
    table_.Add(hash, flow);
  }
}

}  // namespace perf2x
