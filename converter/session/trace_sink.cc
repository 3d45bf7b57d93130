// SPDX-License-Identifier: Apache-2.0
#include "converter/session/trace_sink.h"

#include <utility>

#include "converter/base/status_macros.h"

namespace perf2x {

TraceSink::TraceSink(Emitter& emitter, Hooks hooks)
    : emitter_(emitter),
      hooks_(std::move(hooks)),
      requirements_(emitter.requirements()),
      needs_only_keys_(!requirements_.fields && !requirements_.records &&
                       !requirements_.branches && !requirements_.accesses) {}

absl::Status TraceSink::Begin() {
  begun_ = true;
  RETURN_IF_ERROR(emitter_.Begin(hooks_.before_begin()));
  return hooks_.after_begin == nullptr ? absl::OkStatus()
                                       : hooks_.after_begin();
}

}  // namespace perf2x
