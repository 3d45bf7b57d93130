// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ETM_ELEMENT_H_
#define PERF2X_HWTRACE_ETM_ELEMENT_H_

#include <cstdint>

#include "absl/types/span.h"

namespace perf2x {

// One step of a decoded CoreSight trace: what happened next on a CPU.
struct EtmElement {
  enum class Kind : uint8_t {
    kRange,      // the instructions in [start, end) ran
    kGap,        // it is not known what ran after the last range
    kOverflow,   // like kGap: the trace unit's buffer was full
    kNoCode,     // like kGap: the code at `start` is not known
    kException,  // `start`: target of a branch taken just before it; 0: none
    kContext,    // sets `thread` and `user`
    kTime,       // sets `time`
  };
  Kind kind = Kind::kGap;
  uint8_t last_size = 0;  // of the last instruction of a range, in bytes
  bool taken = false;     // the last instruction is a branch that was taken
  bool thumb = false;  // of a range: Thumb code, of 2- and 4-byte instructions
  bool user = false;   // of kContext: runs at EL0
  int32_t cpu = -1;    // of the trace unit
  uint64_t start = 0, end = 0;  // addresses, see Kind
  uint32_t instructions = 0;    // of a range
  int32_t thread = -1;          // of kContext: tid; -1: not known
  uint64_t time = 0;            // of kTime, in ticks of the trace unit's clock

  // Returns the address of the last instruction of a range.
  uint64_t last_address() const { return end - last_size; }
};

// The machine code that the traced threads ran.
class EtmCode {
 public:
  virtual ~EtmCode() = default;
  // Copies known code at `address` in the address space of `thread` to `to`.
  // Returns the number of bytes copied; 0: no code is known there. `thread` is
  // EtmElement::thread of the last kContext of `cpu`; -1: not known.
  virtual uint32_t Read(int32_t cpu, int32_t thread, uint64_t address,
                        absl::Span<uint8_t> to) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_ELEMENT_H_
