// SPDX-License-Identifier: Apache-2.0
#include "converter/session/queued_sample.h"

#include <algorithm>

#include "converter/perf/records/wire.h"

namespace perf2x {

// `kernel` is the number of words before those that were unwound.
void PendingStack::Complete(size_t kernel) {
  // Some recorders write a user callchain as well: the longer one is used.
  if (recorded.size() - user > words.size() - kernel) {
    words.resize(kernel);
    for (size_t i = user; i < recorded.size(); ++i) {
      words.push_back(recorded[i]);
    }
  }
  EnsureAddress();
}

void PendingStack::EnsureAddress() {
  if (std::all_of(words.begin(), words.end(),
                  [](uint64_t word) { return word >= kContextMax; })) {
    words = {marker, ip};
  }
}

}  // namespace perf2x
