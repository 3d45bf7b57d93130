// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_PT_BLOCK_CODE_H_
#define PERF2X_HWTRACE_PT_BLOCK_CODE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {

// Code that libipt 2.2 reads twice. It reads a block (the instructions up to
// the next event or to a branch that needs the trace) when it comes to the
// first one, and each instruction again with its step. Kept here, the code is
// looked up once, and is the same both times even if mappings change meanwhile.
// Not thread-safe.
class PtBlockCode {
 public:
  // To be called before each step: it is the next one of the block, or the
  // first one of a new block.
  void BeginStep() { is_first_ = true; }
  // To be called when what was kept is no longer of use.
  void Clear() {
    kept_.clear();
    next_ = 0;
  }

  // Copies the code that was kept, if `ip` is the next instruction of the
  // block. Returns the number of bytes; 0: it is to be read, and kept.
  size_t ReadAgain(uint64_t ip, absl::Span<uint8_t> to) {
    const bool is_first = std::exchange(is_first_, false);
    // A block's first instruction is read again after the whole block.
    if (is_first == (next_ > 0) && next_ < kept_.size() &&
        kept_[next_].ip == ip && to.size() == kMaxSize) {
      const Instruction& again = kept_[next_++];
      std::copy_n(again.bytes.begin(), again.size, to.begin());
      return again.size;
    }
    if (is_first) Clear();
    return 0;
  }

  // `bytes` are code that ReadAgain did not have; empty: there is none.
  void Keep(uint64_t ip, absl::Span<const uint8_t> bytes) {
    constexpr size_t kMaxInstructions = 2048;
    if (kept_.size() == kMaxInstructions || bytes.empty() ||
        bytes.size() > kMaxSize) {
      return;
    }
    Instruction& last = kept_.emplace_back();
    last.ip = ip;
    last.size = static_cast<uint8_t>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), last.bytes.begin());
  }

 private:
  // The bytes that libipt reads for an instruction, whose size it does not know
  // yet.
  static constexpr size_t kMaxSize = 15;
  struct Instruction {
    uint64_t ip = 0;
    uint8_t size = 0;
    std::array<uint8_t, kMaxSize> bytes;
  };

  std::vector<Instruction> kept_;
  size_t next_ = 0;        // the one that is read again next
  bool is_first_ = false;  // no code was read since BeginStep
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_PT_BLOCK_CODE_H_
