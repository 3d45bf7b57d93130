// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_WAITING_WORDS_H_
#define PERF2X_EMIT_WAITING_WORDS_H_

#include <array>
#include <cstddef>
#include <utility>

#include "converter/model/stack_table.h"

namespace perf2x {

// Sums the words of the callchains of samples that wait in a batch, so that few
// long ones do not wait for many others. Looks at a stack some samples later,
// when it is in the caches. Not thread-safe.
class WaitingWords {
 public:
  // `stacks` must outlive this.
  explicit WaitingWords(const StackTable& stacks) : stacks_(stacks) {
    seen_.fill(kNoId);
  }

  void Add(StackId stack) {
    stacks_.PrefetchStack(stack);
    const StackId before = std::exchange(seen_[turn_++ % seen_.size()], stack);
    words_ += stacks_.callchain_words(before);
  }
  // Returns the words since Clear, without those of the latest stacks.
  size_t words() const { return words_; }
  void Clear() { words_ = 0; }

 private:
  const StackTable& stacks_;
  std::array<StackId, 16> seen_;
  size_t turn_ = 0;
  size_t words_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_WAITING_WORDS_H_
