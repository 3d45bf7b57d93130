// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_queue.h"

#include <utility>

namespace perf2x {

absl::Status SampleQueue::DelayForUnwinding(
    StackBuilder& stacks, HelperPool* helpers,
    std::function<void(QueuedSample&)> set_fields) {
  RETURN_IF_ERROR(Flush());
  delayed_ = std::make_unique<DelayedSamples>(
      stacks, helpers,
      [this, set_fields = std::move(set_fields)](QueuedSample& queued) {
        set_fields(queued);
        return Emit(queued);
      });
  return absl::OkStatus();
}

}  // namespace perf2x
