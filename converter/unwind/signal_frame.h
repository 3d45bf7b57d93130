#ifndef PERF2X_UNWIND_SIGNAL_FRAME_H_
#define PERF2X_UNWIND_SIGNAL_FRAME_H_

#include <cstdint>
#include <optional>

#include "converter/unwind/expression.h"
#include "converter/unwind/machine.h"

namespace perf2x {

// What the kernel lays on the stack for a signal's handler: `rt_sigframe` with
// a siginfo, or the older form that has the registers alone.
enum class SignalFrame : uint8_t { kRealTime, kOld };

// Whether the instructions at `pc` are those that a handler returns to, which
// ask the kernel to go on where the signal came. They need no table to be
// known by.
std::optional<SignalFrame> SignalFrameAt(const Machine& machine, uint64_t pc,
                                         ReadMemory read);

// The registers that the signal interrupted, its program counter among them,
// from the frame that lies at stack pointer `sp` when the handler has returned.
// AddressSpaces are those of the kernel's asm/sigcontext.h and kernel/signal.c.
// Nullopt when the memory was not recorded, or none is known for the machine.
std::optional<Registers> InterruptedRegisters(const Machine& machine,
                                              SignalFrame frame, uint64_t sp,
                                              ReadMemory read);

}  // namespace perf2x

#endif  // PERF2X_UNWIND_SIGNAL_FRAME_H_
