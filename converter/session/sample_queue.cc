// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_queue.h"

namespace perf2x {

absl::Status SampleQueue::DelayForUnwinding(StackBuilder& stacks,
                                            size_t helpers) {
  RETURN_IF_ERROR(Flush());
  delayed_ = std::make_unique<DelayedSamples>(
      stacks, helpers, [this](QueuedSample& queued) { return Emit(queued); });
  return absl::OkStatus();
}

}  // namespace perf2x
