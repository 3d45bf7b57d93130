// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/expression.h"

#include <dwarf.h>

#include <algorithm>
#include <array>

#include "converter/base/leb128.h"

namespace perf2x {
namespace {

constexpr uint32_t kMaxOperations = 500;
constexpr size_t kMaxDepth = 64;

// The expression's stack. Overflow and underflow make it fail for good; values
// are truncated to the size of an address.
class ValueStack {
 public:
  explicit ValueStack(uint64_t mask) : mask_(mask) {}
  bool ok() const { return ok_; }
  size_t depth() const { return depth_; }
  void Fail() { ok_ = false; }
  void Push(uint64_t v) {
    if (depth_ == kMaxDepth) return Fail();
    values_[depth_++] = v & mask_;
  }
  uint64_t Pop() {
    if (depth_ == 0) {
      Fail();
      return 0;
    }
    return values_[--depth_];
  }
  // Returns the value `i` places below the top.
  uint64_t Peek(uint64_t i) {
    if (i >= depth_) {
      Fail();
      return 0;
    }
    return values_[depth_ - 1 - i];
  }
  int64_t Signed(uint64_t v) const {
    return mask_ == ~uint64_t{0} ? static_cast<int64_t>(v)
                                 : static_cast<int32_t>(v);
  }

 private:
  std::array<uint64_t, kMaxDepth> values_;
  size_t depth_ = 0;
  uint64_t mask_;
  bool ok_ = true;
};

// Returns a OP b, where sa and sb are the same numbers as signed ones. Empty
// for a division by zero and for other operations.
std::optional<uint64_t> Calculate(uint8_t code, uint64_t a, uint64_t b,
                                  int64_t sa, int64_t sb) {
  switch (code) {
    case DW_OP_and:
      return a & b;
    case DW_OP_or:
      return a | b;
    case DW_OP_xor:
      return a ^ b;
    case DW_OP_plus:
      return a + b;
    case DW_OP_minus:
      return a - b;
    case DW_OP_mul:
      return a * b;
    case DW_OP_div:
      if (b == 0) return std::nullopt;
      // The smallest number divided by -1 is itself, as hardware wraps.
      return sb == -1 ? 0 - a : static_cast<uint64_t>(sa / sb);
    case DW_OP_mod:
      if (b == 0) return std::nullopt;
      return a % b;
    case DW_OP_shl:
      return b > 63 ? 0 : a << b;
    case DW_OP_shr:
      return b > 63 ? 0 : a >> b;
    case DW_OP_shra:
      return static_cast<uint64_t>(sa >> std::min<uint64_t>(b, 63));
    case DW_OP_eq:
      return sa == sb;
    case DW_OP_ge:
      return sa >= sb;
    case DW_OP_gt:
      return sa > sb;
    case DW_OP_le:
      return sa <= sb;
    case DW_OP_lt:
      return sa < sb;
    case DW_OP_ne:
      return sa != sb;
    default:
      return std::nullopt;
  }
}

// Executes a OP b, where b is the top of the stack; returns false for other
// operations.
bool Binary(uint8_t code, ValueStack* stack) {
  const bool binary =
      code == DW_OP_and || code == DW_OP_div || code == DW_OP_minus ||
      code == DW_OP_mod || code == DW_OP_mul || code == DW_OP_or ||
      code == DW_OP_plus || (code >= DW_OP_shl && code <= DW_OP_xor) ||
      (code >= DW_OP_eq && code <= DW_OP_ne);
  if (!binary) return false;
  const uint64_t b = stack->Pop(), a = stack->Pop();
  const std::optional<uint64_t> value =
      Calculate(code, a, b, stack->Signed(a), stack->Signed(b));
  value.has_value() ? stack->Push(*value) : stack->Fail();
  return true;
}

// Executes an operation on the stack alone; returns false for other operations.
bool Shuffle(uint8_t op, ByteReader& in, ValueStack* stack) {
  switch (op) {
    case DW_OP_nop:
      break;
    case DW_OP_dup:
      stack->Push(stack->Peek(0));
      break;
    case DW_OP_over:
      stack->Push(stack->Peek(1));
      break;
    case DW_OP_pick:
      stack->Push(stack->Peek(in.U8()));
      break;
    case DW_OP_drop:
      stack->Pop();
      break;
    case DW_OP_swap: {
      const uint64_t b = stack->Pop(), a = stack->Pop();
      stack->Push(b);
      stack->Push(a);
      break;
    }
    case DW_OP_rot: {
      const uint64_t c = stack->Pop(), b = stack->Pop(), a = stack->Pop();
      stack->Push(c);
      stack->Push(a);
      stack->Push(b);
      break;
    }
    case DW_OP_neg:
      stack->Push(0 - stack->Pop());
      break;
    case DW_OP_not:
      stack->Push(~stack->Pop());
      break;
    case DW_OP_abs: {
      const uint64_t v = stack->Pop();
      stack->Push(stack->Signed(v) < 0 ? 0 - v : v);
      break;
    }
    case DW_OP_plus_uconst:
      stack->Push(stack->Pop() + ReadUleb128(in));
      break;
    default:
      return Binary(op, stack);
  }
  return true;
}

// Reads the constant that `op`, DW_OP_const1u … DW_OP_consts, pushes.
uint64_t ReadConstant(uint8_t op, ByteReader& in) {
  switch (op) {
    case DW_OP_const1u:
      return in.U8();
    case DW_OP_const1s:
      return static_cast<uint64_t>(static_cast<int8_t>(in.U8()));
    case DW_OP_const2u:
      return in.U16();
    case DW_OP_const2s:
      return static_cast<uint64_t>(static_cast<int16_t>(in.U16()));
    case DW_OP_const4u:
      return in.U32();
    case DW_OP_const4s:
      return static_cast<uint64_t>(static_cast<int32_t>(in.U32()));
    case DW_OP_constu:
      return ReadUleb128(in);
    case DW_OP_consts:
      return static_cast<uint64_t>(ReadSleb128(in));
    default:
      return in.U64();
  }
}

void PushRegister(const Registers& registers, uint64_t reg, int64_t offset,
                  ValueStack* stack) {
  if (reg < kMaxRegisters && registers.known(static_cast<uint8_t>(reg))) {
    stack->Push(registers[static_cast<uint8_t>(reg)] +
                static_cast<uint64_t>(offset));
  } else {
    stack->Fail();
  }
}

// Replaces the address on top of the stack by the value there.
void PushMemory(ReadMemory read, uint8_t size, ValueStack* stack) {
  uint64_t value = 0;
  const uint64_t address = stack->Pop();
  if (stack->ok() && (size == 1 || size == 2 || size == 4 || size == 8) &&
      read(address, size, &value)) {
    stack->Push(value);
  } else {
    stack->Fail();
  }
}

}  // namespace

std::optional<uint64_t> Evaluate(absl::Span<const uint8_t> expression,
                                 const Machine& machine,
                                 const Registers& registers, ReadMemory read,
                                 std::optional<uint64_t> cfa,
                                 uint32_t* operations_left) {
  ValueStack stack(machine.address_mask());
  if (cfa.has_value()) stack.Push(*cfa);

  size_t base = 0;  // offset of `in` in the expression
  ByteReader in(expression, machine.order);
  for (uint32_t operations = 0; in.left() > 0; ++operations) {
    if (operations == kMaxOperations || *operations_left == 0 || !stack.ok()) {
      return std::nullopt;
    }
    --*operations_left;
    const uint8_t op = in.U8();
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
      stack.Push(op - DW_OP_lit0);
    } else if (op >= DW_OP_const1u && op <= DW_OP_consts) {
      stack.Push(ReadConstant(op, in));
    } else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
      PushRegister(registers, op - DW_OP_breg0, ReadSleb128(in), &stack);
    } else if (op == DW_OP_bregx) {
      const uint64_t reg = ReadUleb128(in);
      PushRegister(registers, reg, ReadSleb128(in), &stack);
    } else if (op == DW_OP_deref) {
      PushMemory(read, machine.address_size, &stack);
    } else if (op == DW_OP_deref_size) {
      PushMemory(read, in.U8(), &stack);
    } else if (op == DW_OP_call_frame_cfa && cfa.has_value()) {
      stack.Push(*cfa);
    } else if (op == DW_OP_skip || op == DW_OP_bra) {
      const auto distance = static_cast<int16_t>(in.U16());
      if (op == DW_OP_bra && stack.Pop() == 0) continue;
      const int64_t target =
          static_cast<int64_t>(base + in.offset()) + distance;
      if (target < 0 || target > static_cast<int64_t>(expression.size())) {
        return std::nullopt;
      }
      base = static_cast<size_t>(target);
      in = ByteReader(expression.subspan(base), machine.order);
    } else if (!Shuffle(op, in, &stack)) {
      return std::nullopt;
    }
  }
  const uint64_t value = stack.Pop();
  return stack.ok() && in.ok() ? std::optional<uint64_t>(value) : std::nullopt;
}

}  // namespace perf2x
