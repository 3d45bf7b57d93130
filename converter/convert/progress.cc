// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/progress.h"

namespace perf2x {

void Progress::AddInput(const Input& input) {
  uint64_t bytes = input.mapped ? input.mapped->bytes().size() : 0;
  for (const auto& file : input.data_files) {
    bytes += file.mapped->bytes().size();
  }
  // With a stream among the inputs no one knows how much there is.
  if (input.stream != nullptr) endless_ = true;
  if (endless_) {
    total_ = 0;
  } else {
    total_ += bytes;
  }
}

}  // namespace perf2x
