// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/input_pages.h"

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr size_t kStep = 4 << 20;

}  // namespace

void InputPages::Step(size_t at, const EventAttr& attr) {
  next_ = at + kStep;
  const absl::Span<const uint8_t> bytes = block_->bytes();
  block_->Populate(bytes.subspan(at, kStep));
  // A callchain that lies in the mapped input is not copied: it is read again
  // when it is written. Those of samples with stack dumps are copied.
  const bool reads_again = (attr.sample_type & kSampleCallchain) != 0 &&
                           (attr.sample_type & kSampleStackUser) == 0;
  if (releases_ && !reads_again && at > released_ + kept_) {
    const size_t end = at - kept_;
    block_->Release(bytes.subspan(released_, end - released_));
    released_ = end;
  }
}

}  // namespace perf2x
