// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/arm_exidx.h"

#include <array>
#include <bit>
#include <vector>

#include "converter/base/byte_reader.h"
#include "converter/unwind/table_search.h"

namespace perf2x {
namespace {

constexpr uint8_t kSp = 13, kLr = 14, kPc = 15;
constexpr uint32_t kCannotUnwind = 1;
constexpr size_t kEntrySize = 8;

uint32_t Word(absl::Span<const uint8_t> bytes, size_t at) {
  return Load<uint32_t>(bytes.data() + at, ByteOrder::kLittle);
}

// Decodes an address relative to its own place (prel31), in the low 31 bits of
// a word.
uint32_t FromPrel31(uint32_t word, uint32_t place) {
  return place + static_cast<uint32_t>(static_cast<int32_t>(word << 1) >> 1);
}

// Appends the bytes of a word from its most significant one on, without the
// first `skip`.
void AppendBytes(uint32_t word, int skip, std::vector<uint8_t>* to) {
  for (int i = skip; i < 4; ++i) {
    to->push_back(static_cast<uint8_t>(word >> (24 - 8 * i)));
  }
}

// Executes the unwinding instructions of a function without knowing register
// values: the virtual stack pointer is always a register plus an offset.
class ExidxInterpreter {
 public:
  // Returns false if the instructions are malformed or no rule can express
  // them.
  bool Play(absl::Span<const uint8_t> code);
  RuleId Intern(RuleTable* rules) const;

 private:
  void Pop(uint32_t mask) {
    for (uint8_t reg = 0; reg < 16; ++reg) {
      if ((mask >> reg & 1) == 0) continue;
      saved_[reg] = offset_;
      offset_ += 4;
    }
    popped_ |= mask;
  }
  bool PlayLong(uint8_t op, ByteReader* in);

  uint8_t base_ = kSp;
  int32_t offset_ = 0;  // of the virtual stack pointer from the base
  uint32_t popped_ = 0;
  std::array<int32_t, 16> saved_{};  // offsets from the base
};

bool ExidxInterpreter::Play(absl::Span<const uint8_t> code) {
  ByteReader in(code, ByteOrder::kLittle);
  while (in.left() > 0) {
    const uint8_t op = in.U8();
    if (op < 0x40) {
      offset_ += (op << 2) + 4;
    } else if (op < 0x80) {
      offset_ -= ((op & 0x3f) << 2) + 4;
    } else if (op < 0x90) {
      const uint32_t mask = (op & 0xf) << 8 | in.U8();
      if (mask == 0) return false;  // refuse to unwind
      Pop(mask << 4);
    } else if (op < 0xa0) {
      const uint8_t reg = op & 0xf;
      if (reg == kSp || reg == kPc || popped_ != 0) return false;
      base_ = reg;
      offset_ = 0;
    } else if (op < 0xb0) {
      const uint32_t r4_up = (2u << (op & 7)) - 1;
      Pop(r4_up << 4 | ((op & 8) != 0 ? 1u << kLr : 0));
    } else if (op == 0xb0) {
      break;
    } else if (!PlayLong(op, &in)) {
      return false;
    }
  }
  return in.ok();
}

// Executes an instruction from 0xb1 on: it pops r0 to r3 or registers that are
// not tracked, or moves the stack pointer.
bool ExidxInterpreter::PlayLong(uint8_t op, ByteReader* in) {
  if (op == 0xb1) {
    const uint8_t mask = in->U8();
    if (mask == 0 || mask > 0xf) return false;
    Pop(mask);
  } else if (op == 0xb2) {
    uint32_t words = 0;
    for (int shift = 0; shift < 28; shift += 7) {
      const uint8_t byte = in->U8();
      words |= (byte & 0x7fu) << shift;
      if (byte < 0x80) break;
    }
    offset_ += 0x204 + static_cast<int32_t>((words & 0xffffff) << 2);
  } else if (op == 0xb3) {
    offset_ += 8 * ((in->U8() & 0xf) + 1) + 4;
  } else if (op == 0xb4) {
    offset_ += 4;  // return address authentication code
  } else if (op >= 0xb8 && op < 0xc0) {
    offset_ += 8 * ((op & 7) + 1) + 4;
  } else if ((op >= 0xc0 && op < 0xc6) || (op >= 0xd0 && op < 0xd8)) {
    offset_ += 8 * ((op & 7) + 1);
  } else if (op == 0xc6 || op == 0xc8 || op == 0xc9) {
    offset_ += 8 * ((in->U8() & 0xf) + 1);
  } else if (op == 0xc7) {
    offset_ += 4 * std::popcount(static_cast<uint8_t>(in->U8() & 0xf));
  } else {
    return false;
  }
  return true;
}

RuleId ExidxInterpreter::Intern(RuleTable* rules) const {
  const bool pc_popped = (popped_ >> kPc & 1) != 0;
  FrameRule rule;
  rule.cfa_register = base_;
  rule.cfa_value = offset_;
  rule.return_register = pc_popped ? kPc : kLr;
  std::vector<RegisterRule> registers;
  for (uint8_t reg = 0; reg < 16; ++reg) {
    if ((popped_ >> reg & 1) != 0) {
      registers.push_back({reg, RegisterRule::kAtCfa, saved_[reg] - offset_});
    } else if (reg == kSp) {
      registers.push_back({reg, RegisterRule::kCfaPlus, 0});
    }
  }
  return rules->Intern(rule, registers);
}

}  // namespace

std::optional<ArmExidx> ArmExidx::Open(const ElfFile& elf) {
  const ElfFile::Section* section = elf.Find(".ARM.exidx");
  if (section == nullptr || elf.order() != ByteOrder::kLittle) {
    return std::nullopt;
  }
  absl::Span<const uint8_t> bytes = elf.Bytes(*section);
  bytes = bytes.subspan(0, bytes.size() / kEntrySize * kEntrySize);
  if (bytes.empty()) return std::nullopt;
  return ArmExidx(&elf, static_cast<uint32_t>(section->address), bytes);
}

absl::Span<const uint8_t> ArmExidx::BytesAt(uint64_t address) const {
  const std::optional<uint64_t> offset = elf_->OffsetOfAddress(address);
  const absl::Span<const uint8_t> all = elf_->file()->bytes();
  if (!offset.has_value() || *offset >= all.size()) return {};
  return all.subspan(*offset);
}

uint32_t ArmExidx::Target(size_t at) const {
  return FromPrel31(Word(table_, at), start_ + static_cast<uint32_t>(at));
}

std::optional<RuleRange> ArmExidx::Find(uint64_t address,
                                        RuleTable* rules) const {
  constexpr uint64_t kStepsALookUp = 16;
  elf_->file()->budget().Spend(Budget::kWork, kStepsALookUp);
  const size_t count =
      CountUpTo(address, table_.size() / kEntrySize,
                [this](size_t i) { return Target(i * kEntrySize); });
  if (count == 0) return std::nullopt;
  const size_t entry = (count - 1) * kEntrySize;
  RuleRange row;
  row.start = Target(entry);
  row.end = count * kEntrySize < table_.size() ? Target(count * kEntrySize)
                                               : uint64_t{1} << 32;
  if (address == row.start) {
    // At its first instruction a function has saved nothing, whatever its entry
    // says.
    row.end = row.start + 1;
    row.rule = ExidxInterpreter().Intern(rules);
    return row;
  }
  ++row.start;
  row.rule = RuleOf(entry, rules);
  return row;
}

RuleId ArmExidx::RuleOf(size_t entry, RuleTable* rules) const {
  const uint32_t word = Word(table_, entry + 4);
  if (word == kCannotUnwind) {
    // EXIDX_CANTUNWIND, which outermost functions have.
    FrameRule rule;
    rule.cfa_register = kSp;
    rule.return_register = kLr;
    return rules->Intern(rule, {{kLr, RegisterRule::kUndefined, 0}});
  }
  std::vector<uint8_t> code;
  if ((word & 0x80000000) != 0) {
    AppendBytes(word, 1, &code);
  } else {
    absl::Span<const uint8_t> bytes = BytesAt(Target(entry + 4));
    if (bytes.size() < 4) return kNoRule;
    uint32_t head = Word(bytes, 0);
    size_t at = 4;
    uint32_t more = 0;
    if ((head & 0x80000000) == 0) {
      // A personality routine that is not one of the ABI's. Compilers put the
      // same instructions after it, preceded by their number of words.
      if (bytes.size() < 8) return kNoRule;
      head = Word(bytes, at);
      at += 4;
      more = head >> 24;
      AppendBytes(head, 1, &code);
    } else if ((head >> 24 & 0xf) == 0) {
      AppendBytes(head, 1, &code);
    } else {
      more = head >> 16 & 0xff;
      AppendBytes(head, 2, &code);
    }
    if (more > (bytes.size() - at) / 4) return kNoRule;
    for (; more > 0; --more, at += 4) AppendBytes(Word(bytes, at), 0, &code);
  }
  elf_->file()->budget().Spend(Budget::kWork, code.size());
  ExidxInterpreter interpreter;
  return interpreter.Play(code) ? interpreter.Intern(rules) : kNoRule;
}

}  // namespace perf2x
