// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/call_site.h"

#include <algorithm>

namespace perf2x {
namespace {

// Returns true if the `call.length` bytes before `end` are such a call.
bool Matches(const CallInstruction& call, ByteOrder order, const uint8_t* end) {
  const uint8_t* const code = end - call.length;
  const int size = std::min<int>(call.length, 4);
  uint32_t word = 0;
  for (int i = 0; i < size; ++i) {
    const int byte = order == ByteOrder::kLittle ? size - 1 - i : i;
    word = word << 8 | code[byte];
  }
  return (word & call.mask) == call.bits &&
         (call.except_mask == 0 ||
          (word & call.except_mask) != call.except_bits);
}

}  // namespace

bool MayFollowCall(const Machine& machine, uint64_t address, ReadCode read) {
  const bool odd = machine.has_odd_code() && (address & 1) != 0;
  const auto calls = odd ? machine.odd_calls : machine.calls;
  if (calls.empty()) return true;
  if (odd) --address;
  // Unavailable bytes are 0, which begins no call instruction.
  uint8_t code[CallInstruction::kMaxLength] = {};
  uint8_t* const end = std::end(code);
  size_t known = 0;
  for (uint64_t byte = 0; known < sizeof(code); ++known) {
    if (!read(address - known - 1, 1, &byte)) break;
    *(end - known - 1) = static_cast<uint8_t>(byte);
  }
  return known == 0 || std::any_of(calls.begin(), calls.end(),
                                   [&](const CallInstruction& call) {
                                     return Matches(call, machine.order, end);
                                   });
}

}  // namespace perf2x
