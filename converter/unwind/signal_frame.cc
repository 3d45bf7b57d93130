// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/signal_frame.h"

namespace perf2x {

std::optional<SignalFrameForm> DetectSigreturnTrampoline(const Machine& machine,
                                                         uint64_t pc,
                                                         ReadMemory read) {
  // Most code differs in its first byte.
  for (const auto& [frame, code] : machine.signal_frames.trampolines) {
    size_t same = 0;
    uint64_t byte = 0;
    while (same < code.size() && read(pc + same, 1, &byte) &&
           static_cast<char>(byte) == code[same]) {
      ++same;
    }
    if (same == code.size()) return frame;
  }
  return std::nullopt;
}

std::optional<Registers> InterruptedRegisters(const Machine& machine,
                                              SignalFrameForm frame,
                                              uint64_t sp, ReadMemory read) {
  const SignalFrameLayout& frames = machine.signal_frames;
  const SignalFrameLayout::Context& context =
      frame == SignalFrameForm::kOld ? frames.old : frames.real_time;
  const int word = machine.address_size;
  const auto read_word = [&](uint64_t address, uint64_t* value) {
    return read(address & machine.address_mask(), word, value);
  };
  uint64_t start = sp + context.offset;
  if (context.indirect) {
    if (!read_word(start, &start)) return std::nullopt;
    start += context.pointee_offset;
  }
  Registers registers;
  uint64_t value = 0, at = start + frames.registers_offset;
  for (const uint8_t reg : frames.registers) {
    if (read_word(at, &value) && reg != kNoRegister) registers.Set(reg, value);
    at += static_cast<uint64_t>(word);
  }
  if (!read_word(start + frames.pc_offset, &value) ||
      !registers.known(machine.sp)) {
    return std::nullopt;
  }
  registers.pc = value & machine.address_mask();
  return registers;
}

}  // namespace perf2x
