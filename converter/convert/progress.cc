// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/progress.h"

namespace perf2x {

void Progress::AddInput(const Input& input) {
  uint64_t bytes = input.mapped ? input.mapped->bytes().size() : 0;
  for (const auto& file : input.data_files) {
    bytes += file.mapped->bytes().size();
  }
  // If one of the inputs is a stream, the total is not known.
  if (input.stream != nullptr) endless_ = true;
  if (endless_) {
    total_ = 0;
  } else {
    total_ += bytes;
  }
}

}  // namespace perf2x
