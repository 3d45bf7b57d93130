// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_SIGNAL_FRAME_H_
#define PERF2X_UNWIND_SIGNAL_FRAME_H_

#include <cstdint>
#include <optional>

#include "converter/unwind/expression.h"
#include "converter/unwind/registers.h"

namespace perf2x {

// Returns the form of the signal frame if the code at `pc` is a sigreturn
// trampoline. Returns nullopt if it is not, or cannot be read. Matches code
// bytes; needs no CFI.
std::optional<SignalFrameForm> DetectSigreturnTrampoline(const Machine& machine,
                                                         uint64_t pc,
                                                         ReadMemory read);

// Returns the registers that a signal interrupted, with their program counter,
// from the signal frame. `sp` is the stack pointer after the handler has
// returned. Registers whose memory was not recorded stay unknown. Nullopt if
// the program counter or the stack pointer is unknown.
std::optional<Registers> InterruptedRegisters(const Machine& machine,
                                              SignalFrameForm frame,
                                              uint64_t sp, ReadMemory read);

}  // namespace perf2x

#endif  // PERF2X_UNWIND_SIGNAL_FRAME_H_
