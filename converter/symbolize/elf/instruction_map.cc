// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/instruction_map.h"

#include <Zydis/Zydis.h>
#include <elf.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"

namespace perf2x {
namespace {

// Returns true for instructions that LLVM describes as a call, a return or an
// unconditional (direct) branch.
bool EndsRun(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_CALL:
    case ZYDIS_MNEMONIC_RET:
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
      return true;
    case ZYDIS_MNEMONIC_JMP: {
      constexpr uint8_t kNear = 0xe9, kShort = 0xeb;
      return instruction.opcode == kNear || instruction.opcode == kShort;
    }
    default:
      return false;
  }
}

// As EndsRun, of a call or a return.
CodeImage::Transfer TransferOf(const ZydisDecodedInstruction& instruction) {
  if (!EndsRun(instruction)) return CodeImage::Transfer::kNone;
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_CALL:
      return CodeImage::Transfer::kCall;
    case ZYDIS_MNEMONIC_JMP:
      return CodeImage::Transfer::kNone;
    default:
      return CodeImage::Transfer::kReturn;
  }
}

// Returns true if what follows may not run next.
bool EndsBlock(const ZydisDecodedInstruction& instruction) {
  const auto category = instruction.meta.category;
  return category == ZYDIS_CATEGORY_COND_BR ||
         category == ZYDIS_CATEGORY_UNCOND_BR || category == ZYDIS_CATEGORY_RET;
}

// Returns the distance of a relative branch, a number of `bits` bits. Zydis 4.0
// has it only in the byte order of the machine that perf2x runs on.
uint64_t DistanceAt(const uint8_t* at, uint8_t bits) {
  switch (bits) {
    case 8:
      return static_cast<uint64_t>(static_cast<int8_t>(*at));
    case 16:
      return static_cast<uint64_t>(
          static_cast<int16_t>(Load<uint16_t>(at, ByteOrder::kLittle)));
    default:
      return static_cast<uint64_t>(
          static_cast<int32_t>(Load<uint32_t>(at, ByteOrder::kLittle)));
  }
}

// As TransferOf. Arm Architecture Reference Manual, C4.1.66.
CodeImage::Transfer Arm64Transfer(uint32_t word) {
  const bool is_bl = (word & 0xfc000000) == 0x94000000;
  // BLR and RET, with and without pointer authentication.
  const bool is_blr = (word & 0xfefff000) == 0xd63f0000;
  const bool is_ret = (word & 0xfffff000) == 0xd65f0000;
  return is_bl || is_blr ? CodeImage::Transfer::kCall
         : is_ret        ? CodeImage::Transfer::kReturn
                         : CodeImage::Transfer::kNone;
}

bool Arm64EndsRun(uint32_t word) {
  const bool is_b = (word & 0xfc000000) == 0x14000000;
  return is_b || Arm64Transfer(word) != CodeImage::Transfer::kNone;
}

// Returns the target of a direct branch but for calls; 0: it is none.
uint64_t Arm64Target(uint32_t word, uint64_t address) {
  const auto relative = [&](int shift, int bits) {
    const auto field = static_cast<int32_t>(word << (32 - shift - bits));
    return address + 4 * static_cast<int64_t>(field >> (32 - bits));
  };
  if ((word & 0xfc000000) == 0x14000000) return relative(0, 26);  // B
  if ((word & 0xff000000) == 0x54000000) return relative(5, 19);  // B.cond
  if ((word & 0x7e000000) == 0x34000000) return relative(5, 19);  // CBZ, CBNZ
  if ((word & 0x7e000000) == 0x36000000) return relative(5, 14);  // TBZ, TBNZ
  return 0;
}

bool Arm64EndsBlock(uint32_t word, uint64_t target) {
  const bool is_ret = (word & 0xfffff000) == 0xd65f0000;
  const bool is_br = (word & 0xfefff000) == 0xd61f0000;
  return is_ret || is_br || target != 0;
}

// Returns the distinct addresses of symbols, ascending: those of `symbols`, and
// all of the file's own table, sections among them.
std::vector<uint64_t> SymbolAddresses(const ElfFile& elf,
                                      const SymbolIndex& symbols) {
  std::vector<uint64_t> addresses;
  for (const SymbolIndex::Entry& e : symbols.entries()) {
    if (!absl::EndsWith(e.view(), "@plt")) addresses.push_back(e.start);
  }
  const ElfFile::Section* table = elf.Find(".symtab");
  if (table != nullptr && table->type == SHT_SYMTAB) {
    elf.ForEachSymbol(*table, [&](uint32_t, const ElfFile::Sym& symbol) {
      if (symbol.section != SHN_UNDEF && symbol.section < SHN_LORESERVE) {
        addresses.push_back(symbol.value);
      }
    });
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()),
                  addresses.end());
  return addresses;
}

// Where code or data begins, by a symbol of the assembler.
struct Mark {
  uint64_t address = 0;
  bool is_code = false;
  friend auto operator<=>(const Mark&, const Mark&) = default;
};

// Returns the mapping symbols $x and $d of AArch64 (ELF for the Arm 64-bit
// Architecture), ascending.
std::vector<Mark> MappingSymbols(const ElfFile& elf) {
  std::vector<Mark> marks;
  const ElfFile::Section* table = elf.Find(".symtab");
  if (table == nullptr || table->type != SHT_SYMTAB) return marks;
  elf.ForEachSymbol(*table, [&](uint32_t, const ElfFile::Sym& symbol) {
    if (symbol.type() != STT_NOTYPE || symbol.binding() != STB_LOCAL) return;
    const absl::string_view name = symbol.name(3);
    const bool is_code = absl::StartsWith(name, "$x");
    if (!is_code && !absl::StartsWith(name, "$d")) return;
    if (name.size() == 2 || name[2] == '.') {
      marks.push_back({symbol.value, is_code});
    }
  });
  std::sort(marks.begin(), marks.end());
  return marks;
}

// Returns true if the last mark of a section up to `address` is one of data.
bool IsData(uint64_t address, uint64_t section_start,
            const std::vector<Mark>& marks) {
  const auto after =
      std::upper_bound(marks.begin(), marks.end(), Mark{address, true});
  return after != marks.begin() && !(after - 1)->is_code &&
         (after - 1)->address >= section_start;
}

}  // namespace

InstructionMap::InstructionMap(const ElfFile& elf, const SymbolIndex& symbols)
    : elf_(elf) {
  if (elf.type() == ET_REL) return;  // its sections have no addresses yet
  switch (elf.machine()) {
    case EM_X86_64:
      machine_ = Machine::kX86With64Bits;
      break;
    case EM_386:
      machine_ = Machine::kX86;
      break;
    case EM_AARCH64:
      machine_ = Machine::kArm64;
      break;
    default:
      return;
  }
  const std::vector<uint64_t> starts = SymbolAddresses(elf, symbols);
  const std::vector<Mark> marks =
      machine_ == Machine::kArm64 ? MappingSymbols(elf) : std::vector<Mark>();
  for (uint32_t i = 0; i < elf.sections().size(); ++i) {
    const ElfFile::Section& s = elf.sections()[i];
    constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
    if ((s.flags & kCode) != kCode || s.type != SHT_PROGBITS ||
        s.name == ".plt") {
      continue;
    }
    if (stretches_.size() > starts.size()) break;  // damage: sections overlap
    const uint64_t end = s.address + elf.Bytes(s).size();
    const auto first =
        std::lower_bound(starts.begin(), starts.end(), s.address);
    const auto last = std::lower_bound(first, starts.end(), end);
    for (auto at = first; at < last; ++at) {
      if (IsData(*at, s.address, marks)) continue;
      stretches_.push_back({*at, at + 1 < last ? at[1] : end, i});
    }
  }
  elf_.file()->budget().Spend(Budget::kWork, stretches_.size());
  elf_.file()->budget().Spend(Budget::kMemory,
                              stretches_.size() * sizeof(Stretch));
  std::sort(
      stretches_.begin(), stretches_.end(),
      [](const Stretch& a, const Stretch& b) { return a.start < b.start; });
  // Sections of a damaged file may overlap.
  uint64_t end = 0;
  std::erase_if(stretches_, [&](const Stretch& stretch) {
    if (stretch.start < end || stretch.start >= stretch.end) return true;
    end = stretch.end;
    return false;
  });
}

const InstructionMap::Stretch* InstructionMap::StretchFrom(
    uint64_t address) const {
  const auto it = std::upper_bound(
      stretches_.begin(), stretches_.end(), address,
      [](uint64_t a, const Stretch& stretch) { return a < stretch.end; });
  return it == stretches_.end() ? nullptr : &*it;
}

const InstructionMap::Code& InstructionMap::CodeOf(const Stretch& stretch) {
  static const Code kNone;
  const auto known = codes_.find(stretch.start);
  if (known != codes_.end()) return known->second;
  Budget& budget = elf_.file()->budget();
  if (budget.exhausted()) return kNone;
  const ElfFile::Section& section = elf_.sections()[stretch.section];
  const absl::Span<const uint8_t> bytes = elf_.Bytes(section).subspan(
      stretch.start - section.address, stretch.end - stretch.start);
  Code& code = codes_[stretch.start];
  if (machine_ == Machine::kArm64) {
    DecodeArm64(stretch, bytes, &code);
  } else {
    DecodeX86(stretch, bytes, &code);
  }
  constexpr uint64_t kBytesAStep = 4;
  budget.Spend(Budget::kWork, bytes.size() / kBytesAStep + 1);
  budget.Spend(Budget::kMemory, code.capacity() * sizeof(Instruction));
  return code;
}

void InstructionMap::DecodeX86(const Stretch& stretch,
                               absl::Span<const uint8_t> bytes,
                               Code* code) const {
  ZydisDecoder decoder;
  const bool wide = machine_ == Machine::kX86With64Bits;
  ZydisDecoderInit(
      &decoder,
      wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
      wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  constexpr size_t kMeanSize = 4;
  code->reserve(bytes.size() / kMeanSize);
  std::vector<uint64_t> targets;
  for (size_t at = 0; at < bytes.size();) {
    ZydisDecodedInstruction instruction;
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeInstruction(&decoder, nullptr, bytes.data() + at,
                                          bytes.size() - at, &instruction))) {
      ++at;  // not an instruction
      continue;
    }
    code->push_back({stretch.start + at, instruction.length,
                     EndsRun(instruction), EndsBlock(instruction),
                     /*starts_block=*/false, TransferOf(instruction)});
    const auto& operand = instruction.raw.imm[0];
    const uint8_t* distance = &bytes[at + operand.offset];
    at += instruction.length;
    if (code->back().ends_block && operand.is_relative != 0) {
      targets.push_back(stretch.start + at +
                        DistanceAt(distance, operand.size));
    }
  }
  MarkBlocks(std::move(targets), code);
}

void InstructionMap::DecodeArm64(const Stretch& stretch,
                                 absl::Span<const uint8_t> bytes,
                                 Code* code) const {
  constexpr uint8_t kSize = 4;
  code->reserve(bytes.size() / kSize);
  std::vector<uint64_t> targets;
  for (size_t at = 0; at + kSize <= bytes.size(); at += kSize) {
    // Instructions are little-endian also on big-endian machines.
    const auto word = Load<uint32_t>(&bytes[at], ByteOrder::kLittle);
    const uint64_t address = stretch.start + at;
    const uint64_t target = Arm64Target(word, address);
    code->push_back({address, kSize, Arm64EndsRun(word),
                     Arm64EndsBlock(word, target), /*starts_block=*/false,
                     Arm64Transfer(word)});
    if (target != 0) targets.push_back(target);
  }
  MarkBlocks(std::move(targets), code);
}

void InstructionMap::MarkBlocks(std::vector<uint64_t> targets, Code* code) {
  std::sort(targets.begin(), targets.end());
  auto target = targets.begin();
  bool starts = true;
  for (Instruction& i : *code) {
    target = std::lower_bound(target, targets.end(), i.address);
    i.starts_block =
        starts || (target != targets.end() && *target == i.address);
    starts = i.ends_block;
  }
}

InstructionMap::Code::const_iterator InstructionMap::FirstFrom(
    uint64_t address, const Code& code) {
  return std::lower_bound(
      code.begin(), code.end(), address,
      [](const Instruction& i, uint64_t a) { return i.address < a; });
}

CodeImage::Block InstructionMap::BlockAt(uint64_t address) {
  const Stretch* stretch = StretchFrom(address);
  if (stretch == nullptr || stretch->start > address) return {};
  const Code& code = CodeOf(*stretch);
  auto first = FirstFrom(address, code);
  if (first == code.end()) return {};
  auto last = first;
  while (!first->starts_block) --first;
  while (last + 1 != code.end() && !(last + 1)->starts_block) ++last;
  return {first->address, last->address,
          static_cast<uint32_t>(last - first + 1)};
}

const InstructionMap::Instruction* InstructionMap::At(uint64_t address) {
  const Stretch* stretch = StretchFrom(address);
  if (stretch == nullptr || stretch->start > address) return nullptr;
  const Code& code = CodeOf(*stretch);
  const auto it = FirstFrom(address, code);
  return it != code.end() && it->address == address ? &*it : nullptr;
}

uint32_t InstructionMap::SizeAt(uint64_t address) {
  const Instruction* const instruction = At(address);
  return instruction == nullptr ? 0 : instruction->size;
}

CodeImage::Transfer InstructionMap::TransferAt(uint64_t address) {
  const Instruction* const instruction = At(address);
  return instruction == nullptr ? CodeImage::Transfer::kNone
                                : instruction->transfer;
}

std::optional<uint64_t> InstructionMap::Previous(uint64_t address) {
  Budget& budget = elf_.file()->budget();
  const auto after = std::lower_bound(
      stretches_.begin(), stretches_.end(), address,
      [](const Stretch& stretch, uint64_t a) { return stretch.start < a; });
  for (auto it = after; it != stretches_.begin();) {
    const Code& code = CodeOf(*--it);
    const auto at = FirstFrom(address, code);
    if (at != code.begin()) return (at - 1)->address;
    budget.Spend(Budget::kWork, 1);
    if (budget.exhausted()) break;
  }
  return std::nullopt;
}

std::optional<uint64_t> InstructionMap::Next(uint64_t address, uint64_t end) {
  Budget& budget = elf_.file()->budget();
  for (const Stretch* stretch = StretchFrom(address);
       stretch != nullptr && stretch->start < end;
       stretch = StretchFrom(stretch->end)) {
    const Code& code = CodeOf(*stretch);
    const auto it = FirstFrom(address, code);
    if (it != code.end()) {
      return it->address < end ? std::optional(it->address) : std::nullopt;
    }
    budget.Spend(Budget::kWork, 1);
    if (budget.exhausted()) break;
  }
  return std::nullopt;
}

bool InstructionMap::RunsThrough(uint64_t start, uint64_t end) {
  constexpr ptrdiff_t kInstructionsAStep = 16;
  Budget& budget = elf_.file()->budget();
  for (const Stretch* stretch = StretchFrom(start);
       stretch != nullptr && stretch->start < end;
       stretch = StretchFrom(stretch->end)) {
    const Code& code = CodeOf(*stretch);
    const auto it = FirstFrom(start, code);
    const auto stop = std::find_if(it, code.end(), [end](const Instruction& i) {
      return i.address >= end || i.ends_run;
    });
    budget.Spend(Budget::kWork,
                 static_cast<uint64_t>((stop - it) / kInstructionsAStep));
    if (budget.exhausted()) return false;
    if (stop != code.end()) return stop->address >= end;
  }
  return true;
}

}  // namespace perf2x
