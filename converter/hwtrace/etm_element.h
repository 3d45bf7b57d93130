// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ETM_ELEMENT_H_
#define PERF2X_HWTRACE_ETM_ELEMENT_H_

#include <cstdint>

#include "absl/types/span.h"

namespace perf2x {

// What a CoreSight trace says happened next on a CPU.
struct EtmElement {
  enum class Kind : uint8_t {
    kRange,      // instructions ran, from `start` to before `end`
    kGap,        // what ran after the last range is not known
    kOverflow,   // a gap: the trace unit's buffer was full
    kNoCode,     // a gap: the code at `start` is not known
    kException,  // `start`: where a branch just before it led; 0: no branch
    kContext,
    kTime,
  };
  Kind kind = Kind::kGap;
  uint8_t last_size = 0;  // of the last instruction of a range, in bytes
  bool taken = false;     // it is a branch, and was taken
  bool thumb = false;     // instructions have two or four bytes
  bool user = false;      // of kContext: at EL0
  int32_t cpu = -1;       // of the trace unit
  uint64_t start = 0, end = 0;
  uint32_t instructions = 0;  // of a range
  int32_t thread = -1;        // of kContext; -1: not told
  uint64_t time = 0;          // of kTime, in ticks of the trace unit's clock

  // The address of the last instruction of a range.
  uint64_t last() const { return end - last_size; }
};

// The code that a trace is of.
class EtmCode {
 public:
  virtual ~EtmCode() = default;
  // Copies what lies at `address` of `thread`'s address space to `to`. Returns
  // how many bytes it copied; 0: the code is not known. `thread` is the one of
  // the CPU's last kContext; -1: there was none.
  virtual uint32_t Read(int32_t cpu, int32_t thread, uint64_t address,
                        absl::Span<uint8_t> to) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_ELEMENT_H_
