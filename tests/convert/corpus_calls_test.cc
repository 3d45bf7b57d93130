// SPDX-License-Identifier: Apache-2.0

// What perf cannot vouch for: the callers in unwound stacks where its own end.
// Each has to lie behind a call, and where that says whom it calls, the frame
// before has to be of that function.

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/elf/call_site.h"
#include "converter/unwind/registers.h"
#include "tests/convert/unwound_stacks.h"

namespace perf2x {
namespace {

// The code of a file, and where its functions and linkage tables lie.
class ProgramCode {
 public:
  ProgramCode(std::unique_ptr<ElfFile> elf, const Machine& machine)
      : elf_(std::move(elf)), machine_(machine) {
    for (const ElfFile::Section& section : elf_->sections()) {
      if (absl::StartsWith(section.name, ".plt")) {
        tables_[section.address] = section.address + section.size;
      }
      if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) continue;
      elf_->ForEachSymbol(section, [this](uint32_t, const ElfFile::Sym& s) {
        if (s.type() == STT_FUNC && s.size > 0) {
          const uint64_t start = Plain(s.value);
          functions_[start] = start + s.size;
        }
      });
    }
  }

  std::optional<uint64_t> AddressOf(uint64_t offset) const {
    return elf_->AddressOfOffset(offset);
  }
  bool IsBehindCall(uint64_t address) const {
    const auto read = [this](uint64_t at, int size, uint64_t* value) {
      *value = size == 1 ? Byte(at) : 0;
      return size == 1;
    };
    return MayFollowCall(machine_, address, read) ||
           (machine_.elf_machine == EM_ARM &&
            MayFollowCall(machine_, address | 1, read));
  }
  // Where a direct call before `address` leads; nullopt: it is not direct.
  std::optional<uint64_t> TargetOfCallBefore(uint64_t address) const;
  // The function that covers `address`, as its start.
  std::optional<uint64_t> FunctionAt(uint64_t address) const {
    return StartIn(functions_, address);
  }
  bool InLinkageTable(uint64_t address) const {
    return StartIn(tables_, address).has_value();
  }

 private:
  using Ranges = std::map<uint64_t, uint64_t>;
  static std::optional<uint64_t> StartIn(const Ranges& ranges, uint64_t at) {
    auto it = ranges.upper_bound(at);
    if (it == ranges.begin() || at >= (--it)->second) return std::nullopt;
    return it->first;
  }
  uint64_t Plain(uint64_t address) const {
    return machine_.elf_machine == EM_ARM ? address & ~uint64_t{1} : address;
  }
  uint8_t Byte(uint64_t address) const {
    const auto offset = elf_->OffsetOfAddress(address);
    const auto bytes = elf_->file()->bytes();
    return offset.has_value() && *offset < bytes.size() ? bytes[*offset] : 0;
  }
  uint32_t Little(uint64_t address, int size) const {
    uint32_t value = 0;
    for (int i = size - 1; i >= 0; --i) {
      value = value << 8 | Byte(address + static_cast<uint64_t>(i));
    }
    return value;
  }

  std::unique_ptr<ElfFile> elf_;
  const Machine& machine_;
  Ranges functions_, tables_;
};

uint64_t Displaced(uint64_t from, uint32_t field, int bits, int scale) {
  const auto shift = static_cast<uint32_t>(32 - bits);
  return from +
         static_cast<uint64_t>(int64_t{static_cast<int32_t>(field << shift) >>
                                       static_cast<int32_t>(shift)} *
                               scale);
}

std::optional<uint64_t> ProgramCode::TargetOfCallBefore(
    uint64_t address) const {
  switch (machine_.elf_machine) {
    case EM_X86_64:
    case EM_386:
      if (Byte(address - 5) != 0xe8) break;
      return Displaced(address, Little(address - 4, 4), 32, 1) &
             machine_.address_mask();
    case EM_AARCH64: {
      const uint32_t word = Little(address - 4, 4);
      if (word >> 26 != 0x25) break;
      return Displaced(address - 4, word & 0x3ffffff, 26, 4);
    }
    case EM_S390: {
      if (Byte(address - 6) != 0xc0 || (Byte(address - 5) & 15) != 5) break;
      const uint32_t words = __builtin_bswap32(Little(address - 4, 4));
      return Displaced(address - 6, words, 32, 2);
    }
    case EM_ARM: {
      // Thumb, in which Debian's programs are. BLX aligns where it is.
      const uint32_t first = Little(address - 4, 2);
      const uint32_t second = Little(address - 2, 2);
      if ((first & 0xf800) != 0xf000 || (second & 0xc000) != 0xc000) break;
      const uint32_t sign = first >> 10 & 1;
      const uint32_t j1 = ~(second >> 13 ^ sign) & 1;
      const uint32_t j2 = ~(second >> 11 ^ sign) & 1;
      const uint32_t field = sign << 24 | j1 << 23 | j2 << 22 |
                             (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
      const bool exchange = (second & 0x1000) == 0;
      return Displaced(exchange ? address & ~uint64_t{3} : address, field, 25,
                       1) &
             machine_.address_mask();
    }
  }
  return std::nullopt;
}

struct CallsCase {
  const char* id;
  const char* arch;
  uint64_t abi;
};

void PrintTo(const CallsCase& c, std::ostream* out) { *out << c.id; }

class CorpusCallsTest : public testing::TestWithParam<CallsCase> {
 protected:
  // Null when the symbol files lack it.
  const ProgramCode* CodeOf(const std::string& file) {
    auto [it, inserted] = codes_.try_emplace(file);
    if (inserted) {
      auto bytes = SafeFile::Open(SymfsOf(*entry_) + file);
      auto elf = bytes.ok() ? ElfFile::Open(*bytes) : bytes.status();
      if (elf.ok()) {
        it->second = std::make_unique<ProgramCode>(*std::move(elf), *machine_);
      }
    }
    return it->second.get();
  }
  std::string Judge(const UserFrame& callee, const UserFrame& caller);

  const CorpusEntry* entry_ = nullptr;
  const Machine* machine_ = nullptr;

 private:
  std::map<std::string, std::unique_ptr<ProgramCode>> codes_;
};

// What is to be said of two frames. Their addresses are for looking up: one
// byte before a return address.
std::string CorpusCallsTest::Judge(const UserFrame& callee,
                                   const UserFrame& caller) {
  const ProgramCode* code = CodeOf(caller.file);
  if (code == nullptr) return "no file";
  const auto at = code->AddressOf(caller.address);
  if (!at.has_value()) return "not in its file";
  const uint64_t address = *at + 1;
  if (!code->IsBehindCall(address)) return "not behind a call";
  const auto target = code->TargetOfCallBefore(address);
  if (!target.has_value()) return "indirect call";
  if (code->InLinkageTable(*target)) return "call through a linkage table";
  if (callee.file != caller.file) return "call of something else";
  const auto in = code->AddressOf(callee.address);
  const auto function = code->FunctionAt(*target);
  if (!function.has_value()) return "call of a function without a symbol";
  return function == code->FunctionAt(in.value_or(0))
             ? "call of that function"
             : "call of something else";
}

TEST_P(CorpusCallsTest, CallersLieBehindCallsOfTheFrameBefore) {
  // Most stacks lead through Debian's libraries.
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  const CallsCase& c = GetParam();
  entry_ = FindRecording(FullCorpus(), c.id);
  ASSERT_NE(entry_, nullptr);
  machine_ = MachineOf(c.arch, c.abi);
  std::map<std::string, int> tally;
  int callers = 0;
  for (const UserStack& stack : UnwindRecording(*entry_)) {
    for (size_t i = 1; i < stack.size(); ++i) {
      const std::string what = Judge(stack[i - 1], stack[i]);
      ++tally[what];
      ++callers;
      if (what == "call of something else" || what == "not behind a call") {
        ++tally[absl::StrCat("  ", what, ": ", stack[i - 1].file, "+",
                             absl::Hex(stack[i - 1].address), " from ",
                             stack[i].file, "+", absl::Hex(stack[i].address))];
      }
    }
  }
  for (const auto& [what, count] : tally) {
    std::printf("%s: %d of %d %s\n", c.id, count, callers, what.c_str());
  }
  EXPECT_EQ(tally["not behind a call"], 0);
  EXPECT_EQ(tally["not in its file"], 0);
  // Those jumped on to the function that the frame before is of.
  EXPECT_LE(tally["call of something else"] * 100, callers);
  EXPECT_GE(tally["call of that function"] * 100, callers * 15);
}

INSTANTIATE_TEST_SUITE_P(
    Dwarf, CorpusCallsTest,
    testing::Values(CallsCase{"aarch64-dwarf", "aarch64", 2},
                    CallsCase{"armv7l-dwarf", "armv7l", 1},
                    CallsCase{"s390x-dwarf", "s390x", 2},
                    CallsCase{"vm-lost_dwarf", "x86_64", 2},
                    CallsCase{"x86-compat32_dwarf", "x86_64", 1},
                    CallsCase{"x86-dwarf_inl", "x86_64", 2}),
    [](const testing::TestParamInfo<CallsCase>& test) {
      std::string name = test.param.id;
      for (char& letter : name) letter = letter == '-' ? '_' : letter;
      return name;
    });

}  // namespace
}  // namespace perf2x
