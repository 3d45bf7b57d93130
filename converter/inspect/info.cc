// SPDX-License-Identifier: Apache-2.0
#include "converter/base/status_macros.h"
#include "converter/inspect/inspect.h"
#include "converter/inspect/recording_info.h"

namespace perf2x {

absl::Status WriteInfo(Input input, bool json, Output& output,
                       Diagnostics* diagnostics) {
  ASSIGN_OR_RETURN(const RecordingInfo info,
                   ReadRecordingInfo(std::move(input), diagnostics));
  const InfoValue tree = Describe(info);
  return output.Write(json ? ToJson(tree) : ToText(tree));
}

}  // namespace perf2x
