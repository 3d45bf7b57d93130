// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/cfi_program.h"

#include <dwarf.h>

#include <array>
#include <limits>
#include <vector>

#include "converter/base/leb128.h"

namespace perf2x {
namespace {

// Depth of DW_CFA_remember_state. Compilers nest one or two.
constexpr size_t kMaxRemembered = 16;

// A row of the table while it is computed.
struct Row {
  // The CFA, as in FrameRule. A row without a CFA is of no use.
  bool has_cfa = false;
  uint8_t cfa_register = kNoRegister;
  int32_t cfa_value = 0;
  struct Place {
    bool changed = false;  // if unset: the same in the caller
    RegisterRule::Kind kind = RegisterRule::kUndefined;
    int32_t value = 0;
  };
  std::array<Place, kMaxRegisters> registers;
};

class CfiInterpreter {
 public:
  CfiInterpreter(const CommonEntry& common, const Machine& machine,
                 ByteOrder order, RuleTable* rules)
      : common_(common), machine_(machine), order_(order), rules_(rules) {
    if (machine.cfa_is_caller_sp) {
      row_.registers[machine.sp] = {true, RegisterRule::kCfaPlus, 0};
    }
  }

  // Executes `code` from location `start` until a row after `address` begins.
  bool Run(absl::Span<const uint8_t> code, uint64_t start, uint64_t address);
  void KeepAsInitial() { initial_ = row_; }

  const Row& row() const { return row_; }
  uint64_t row_start() const { return row_start_; }
  std::optional<uint64_t> row_end() const { return row_end_; }

 private:
  bool RunOne(uint8_t op, ByteReader& in);
  bool RunCfa(uint8_t op, ByteReader& in);
  void Advance(uint64_t delta) { location_ += delta * common_.code_factor; }
  int64_t Factored(uint64_t v) const {
    return static_cast<int64_t>(v * static_cast<uint64_t>(common_.data_factor));
  }
  void Set(uint64_t reg, RegisterRule::Kind kind, int64_t value = 0);
  // Ignores registers that are not tracked, as Set does.
  void Restore(uint64_t reg) {
    if (reg < machine_.tracked_registers)
      row_.registers[reg] = initial_.registers[reg];
  }
  void SetExpression(ByteReader& in, RegisterRule::Kind kind);
  int32_t ReadExpression(ByteReader& in) {
    return rules_->InternExpression(in.Bytes(ReadUleb128(in)));
  }
  bool SetCfa(uint64_t reg, int64_t offset);

  const CommonEntry& common_;
  const Machine& machine_;
  const ByteOrder order_;
  RuleTable* const rules_;
  Row row_, initial_;
  std::vector<Row> remembered_;
  uint64_t location_ = 0, row_start_ = 0;
  std::optional<uint64_t> row_end_;
};

bool FitsInRule(int64_t v) {
  return v >= std::numeric_limits<int32_t>::min() &&
         v <= std::numeric_limits<int32_t>::max();
}

void CfiInterpreter::Set(uint64_t reg, RegisterRule::Kind kind, int64_t value) {
  // Vector registers and the like are not tracked.
  if (reg >= machine_.tracked_registers) return;
  if (!FitsInRule(value)) {
    kind = RegisterRule::kUndefined;
    value = 0;
  }
  row_.registers[reg] = {true, kind, static_cast<int32_t>(value)};
}

void CfiInterpreter::SetExpression(ByteReader& in, RegisterRule::Kind kind) {
  const uint64_t reg = ReadUleb128(in);
  Set(reg, kind, ReadExpression(in));
}

bool CfiInterpreter::SetCfa(uint64_t reg, int64_t offset) {
  if (reg >= machine_.tracked_registers || !FitsInRule(offset)) return false;
  row_.has_cfa = true;
  row_.cfa_register = static_cast<uint8_t>(reg);
  row_.cfa_value = static_cast<int32_t>(offset);
  return true;
}

bool CfiInterpreter::Run(absl::Span<const uint8_t> code, uint64_t start,
                         uint64_t address) {
  location_ = row_start_ = start;
  ByteReader in(code, order_);
  while (in.left() > 0) {
    const uint64_t before = location_;
    if (!RunOne(in.U8(), in) || !in.ok()) return false;
    if (location_ < before) return false;
    if (location_ > address) {
      row_end_ = location_;
      return true;
    }
    row_start_ = location_;
  }
  return true;
}

bool CfiInterpreter::RunOne(uint8_t op, ByteReader& in) {
  const uint8_t low = op & 0x3f;
  switch (op & 0xc0) {
    case DW_CFA_advance_loc:
      Advance(low);
      return true;
    case DW_CFA_offset:
      Set(low, RegisterRule::kAtCfa, Factored(ReadUleb128(in)));
      return true;
    case DW_CFA_restore:
      Restore(low);
      return true;
    default:
      break;
  }
  uint64_t reg = 0;
  switch (op) {
    case DW_CFA_nop:
      break;
    case DW_CFA_set_loc:
      // Only the absolute encoding: compilers write no other.
      if (common_.encoding != DW_EH_PE_absptr) return false;
      location_ = ReadEncoded(in, common_.encoding, common_.address_size, 0);
      break;
    case DW_CFA_advance_loc1:
      Advance(in.U8());
      break;
    case DW_CFA_advance_loc2:
      Advance(in.U16());
      break;
    case DW_CFA_advance_loc4:
      Advance(in.U32());
      break;
    case DW_CFA_MIPS_advance_loc8:
      Advance(in.U64());
      break;
    case DW_CFA_offset_extended:
      reg = ReadUleb128(in);
      Set(reg, RegisterRule::kAtCfa, Factored(ReadUleb128(in)));
      break;
    case DW_CFA_offset_extended_sf:
      reg = ReadUleb128(in);
      Set(reg, RegisterRule::kAtCfa,
          Factored(static_cast<uint64_t>(ReadSleb128(in))));
      break;
    case DW_CFA_GNU_negative_offset_extended:
      reg = ReadUleb128(in);
      Set(reg, RegisterRule::kAtCfa, Factored(0 - ReadUleb128(in)));
      break;
    case DW_CFA_val_offset:
      reg = ReadUleb128(in);
      Set(reg, RegisterRule::kCfaPlus, Factored(ReadUleb128(in)));
      break;
    case DW_CFA_val_offset_sf:
      reg = ReadUleb128(in);
      Set(reg, RegisterRule::kCfaPlus,
          Factored(static_cast<uint64_t>(ReadSleb128(in))));
      break;
    case DW_CFA_register:
      reg = ReadUleb128(in);
      Set(reg, RegisterRule::kRegister,
          static_cast<int64_t>(
              std::min<uint64_t>(ReadUleb128(in), kNoRegister)));
      break;
    case DW_CFA_undefined:
      Set(ReadUleb128(in), RegisterRule::kUndefined);
      break;
    case DW_CFA_same_value:
      reg = ReadUleb128(in);
      if (reg < machine_.tracked_registers) row_.registers[reg].changed = false;
      break;
    case DW_CFA_restore_extended:
      Restore(ReadUleb128(in));
      break;
    case DW_CFA_remember_state:
      if (remembered_.size() == kMaxRemembered) return false;
      remembered_.push_back(row_);
      break;
    case DW_CFA_restore_state:
      if (remembered_.empty()) return false;
      row_ = remembered_.back();
      remembered_.pop_back();
      break;
    case DW_CFA_expression:
      SetExpression(in, RegisterRule::kAtExpression);
      break;
    case DW_CFA_val_expression:
      SetExpression(in, RegisterRule::kExpression);
      break;
    case DW_CFA_GNU_args_size:
      ReadUleb128(in);
      break;
    case DW_CFA_GNU_window_save:
      // On aarch64, toggles whether the return address is signed. This is not
      // tracked: signatures are removed from all addresses.
      return machine_.has_signed_returns;
    default:
      return RunCfa(op, in);
  }
  return true;
}

bool CfiInterpreter::RunCfa(uint8_t op, ByteReader& in) {
  const uint8_t reg = row_.cfa_register;
  switch (op) {
    case DW_CFA_def_cfa: {
      const uint64_t new_reg = ReadUleb128(in);
      return SetCfa(new_reg, static_cast<int64_t>(ReadUleb128(in)));
    }
    case DW_CFA_def_cfa_sf: {
      const uint64_t new_reg = ReadUleb128(in);
      return SetCfa(new_reg, Factored(static_cast<uint64_t>(ReadSleb128(in))));
    }
    case DW_CFA_def_cfa_register:
      return reg != kNoRegister && SetCfa(ReadUleb128(in), row_.cfa_value);
    case DW_CFA_def_cfa_offset:
      return SetCfa(reg, static_cast<int64_t>(ReadUleb128(in)));
    case DW_CFA_def_cfa_offset_sf:
      return SetCfa(reg, Factored(static_cast<uint64_t>(ReadSleb128(in))));
    case DW_CFA_def_cfa_expression:
      row_.has_cfa = true;
      row_.cfa_register = kNoRegister;
      row_.cfa_value = ReadExpression(in);
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<RuleRange> RunCfi(const FunctionEntry& function, uint64_t address,
                                const Machine& machine, ByteOrder order,
                                RuleTable* rules) {
  const CommonEntry& common = function.common;
  if (common.return_register >= machine.tracked_registers) return std::nullopt;
  CfiInterpreter interpreter(common, machine, order, rules);
  constexpr uint64_t kToTheEnd = ~uint64_t{0};
  if (!interpreter.Run(common.instructions, 0, kToTheEnd)) return std::nullopt;
  interpreter.KeepAsInitial();
  if (!interpreter.Run(function.instructions, function.start, address)) {
    return std::nullopt;
  }
  const Row& row = interpreter.row();
  if (!row.has_cfa) return std::nullopt;
  FrameRule rule;
  rule.cfa_register = row.cfa_register;
  rule.cfa_value = row.cfa_value;
  rule.return_register = static_cast<uint8_t>(common.return_register);
  rule.signal = common.signal;
  std::vector<RegisterRule> registers;
  for (uint8_t reg = 0; reg < machine.tracked_registers; ++reg) {
    const Row::Place& place = row.registers[reg];
    if (place.changed) registers.push_back({reg, place.kind, place.value});
  }
  return RuleRange{
      interpreter.row_start(),
      std::min(interpreter.row_end().value_or(function.end), function.end),
      rules->Intern(rule, registers)};
}

}  // namespace perf2x
