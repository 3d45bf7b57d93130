// SPDX-License-Identifier: Apache-2.0
#include "converter/model/model.h"

namespace perf2x {

TracepointName ParseTracepointName(absl::string_view name) {
  const size_t colon = name.find(':');
  if (colon == name.npos) return {};
  const absl::string_view event = name.substr(colon + 1);
  return {std::string(name.substr(0, colon)),
          std::string(event.substr(0, event.find(':')))};
}

}  // namespace perf2x
