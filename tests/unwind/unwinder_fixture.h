// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_UNWIND_UNWINDER_FIXTURE_H_
#define PERF2X_TESTS_UNWIND_UNWINDER_FIXTURE_H_

#include <dwarf.h>

#include <memory>
#include <string>
#include <vector>

#include "converter/unwind/dso_cfi_table.h"
#include "converter/unwind/unwinder.h"
#include "gtest/gtest.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {

inline constexpr uint64_t kBase = 0x400000;  // where the file is mapped
inline constexpr uint64_t kFunction = 0x1000;
inline constexpr uint32_t kSize = 0x1000;
inline constexpr uint64_t kStack = 0x7ffe0000;
inline constexpr uint64_t kLimit = 0x10000;  // of the mapping

inline std::string Code(std::initializer_list<int> bytes) {
  return std::string(bytes.begin(), bytes.end());
}

// An instruction that calls, of a form with four bytes or more.
inline std::string CallOf(const Machine& machine) {
  const CallInstruction& call =
      (machine.has_odd_code() ? machine.odd_calls : machine.calls).back();
  Bytes code(machine.order);
  code.U32(call.bits);
  return code.str() + std::string(call.length - code.size(), '\0');
}

// One file with one function, and a stack of words.
class UnwinderTest : public testing::Test {
 protected:
  void Use(const char* arch, uint64_t abi, uint8_t return_register,
           const std::string& initial, const std::string& program,
           const std::string& augmentation = "zR") {
    machine_ = MachineOf(arch, abi);
    ASSERT_NE(machine_, nullptr);
    UseSections({{".eh_frame", 0x4000,
                  TestEhFrame(*machine_, 0x4000, return_register, initial,
                              kFunction, kSize, program, augmentation)}});
  }
  void UseX86(const std::string& program = "") {
    Use("x86_64", 2, 16, Code({DW_CFA_def_cfa, 7, 8, 0x80 | 16, 1}), program);
    registers_.Set(7, kStack);
    registers_.pc = kBase + kFunction + 0x80;
  }
  void UseSections(std::vector<TestSection> sections) {
    // kA and kBare + 4 are where calls return.
    const std::string call = CallOf(*machine_);
    sections.push_back({".text", kFunction + 0x100 - call.size(), call});
    sections.push_back({".text.bare", 0x3004 - call.size(), call});
    source_ = std::make_unique<TestSource>(
        std::vector<std::string>{TestElf(*machine_, sections)});
    MakeUnwinder();
  }
  // Makes the unwinder of source_.
  void MakeUnwinder() {
    tables_ = std::make_unique<DsoCfiTable>(*machine_, source_.get());
    unwinder_ = std::make_unique<Unwinder>(*machine_, *tables_);
  }

  UnwindStop Run(const std::vector<uint64_t>& words, size_t max_frames = 100) {
    return RunBy(*unwinder_, words, max_frames);
  }
  UnwindStop RunBy(Unwinder& unwinder, const std::vector<uint64_t>& words,
                   size_t max_frames = 100) {
    Bytes stack(machine_->order);
    for (uint64_t w : words) stack.Word(w, machine_->address_size);
    const UserStackDump copy{
        kStack,
        {reinterpret_cast<const uint8_t*>(stack.str().data()), stack.size()}};
    const auto maps = [](uint64_t address, CodeLocation* location) {
      if (address < kBase || address >= kBase + kLimit) return false;
      *location = {0, address - kBase};
      return true;
    };
    ips_.clear();
    return unwinder.Unwind(registers_, copy, maps, max_frames, &ips_);
  }

  const Machine* machine_ = nullptr;
  std::unique_ptr<TestSource> source_;
  std::unique_ptr<DsoCfiTable> tables_;
  std::unique_ptr<Unwinder> unwinder_;
  Registers registers_;
  std::vector<uint64_t> ips_;
};

// Addresses in the function, and one that no table covers.
inline constexpr uint64_t kA = kBase + kFunction + 0x100;
inline constexpr uint64_t kB = kBase + kFunction + 0x200;
inline constexpr uint64_t kBare = kBase + 0x3000;

}  // namespace perf2x

#endif  // PERF2X_TESTS_UNWIND_UNWINDER_FIXTURE_H_
