// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/process_memory.h"

namespace perf2x {
namespace {

// Addresses this far above the stack dump still count as on the stack: the
// usual limit of a stack.
constexpr uint64_t kStackReach = 8 << 20;

uint64_t LoadInteger(const uint8_t* p, int size, ByteOrder order) {
  switch (size) {
    case 1:
      return *p;
    case 2:
      return Load<uint16_t>(p, order);
    case 4:
      return Load<uint32_t>(p, order);
    default:
      return Load<uint64_t>(p, order);
  }
}

}  // namespace

bool ProcessMemory::Read(uint64_t address, int size, uint64_t* value) {
  const uint64_t offset = address - stack_.start;
  const auto length = static_cast<uint64_t>(size);
  if (offset < stack_.bytes.size() && stack_.bytes.size() - offset >= length) {
    *value = LoadInteger(stack_.bytes.data() + offset, size, machine_.order);
    return true;
  }
  CodeLocation location;
  uint8_t bytes[8];
  if (maps_(address, &location) && !location.data) {
    if (location.dso == kNoId ||
        !code_->ReadConstant(location.dso, location.offset, size, bytes)) {
      return false;
    }
    *value = LoadInteger(bytes, size, machine_.order);
    return true;
  }
  if (address >= stack_.start && offset < stack_.bytes.size() + kStackReach) {
    stack_ended_ = true;
  }
  return false;
}

}  // namespace perf2x
