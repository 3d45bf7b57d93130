// SPDX-License-Identifier: Apache-2.0

// Addresses in stacks that no call returns to.

#include <elf.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/symbolize/address_symbolizer.h"
#include "converter/symbolize/kernel/interrupt_entries.h"
#include "converter/symbolize/kernel/kallsyms.h"

namespace perf2x {
namespace {

// An x86-64 program: one segment, at 0 in the file and in memory.
std::string ProgramWith(const std::string& code, size_t at) {
  std::string image(0x400, '\x90');
  Elf64_Ehdr header{};
  const unsigned char ident[] = {0x7f,       'E',         'L',       'F',
                                 ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
  std::copy(std::begin(ident), std::end(ident), header.e_ident);
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_filesz = segment.p_memsz = image.size();
  image.replace(0, sizeof(header), reinterpret_cast<const char*>(&header),
                sizeof(header));
  image.replace(sizeof(header), sizeof(segment),
                reinterpret_cast<const char*>(&segment), sizeof(segment));
  return image.replace(at - code.size(), code.size(), code);
}

// The name found one byte before `entry`, which follows `code`.
std::string NameBefore(const std::string& code) {
  constexpr uint64_t kEntry = 0x300;
  auto elf =
      ElfFile::Open(SafeFile::FromMemory("test", ProgramWith(code, kEntry)));
  EXPECT_TRUE(elf.ok()) << elf.status();
  SymbolIndex index;
  index.Add(0x200, kEntry - 0x200, "before", STT_FUNC, STB_GLOBAL);
  index.Add(kEntry, 0x10, "__restore_rt", STT_FUNC, STB_LOCAL);
  index.Finish();
  AddressSymbolizer::Sources sources;
  sources.symbols = &index;
  sources.code = elf->get();
  AddressSymbolizer symbolizer(sources);
  std::vector<Symbol> symbols;
  symbolizer.Find(0x280, &symbols);
  EXPECT_EQ(symbols.back().name, "before");
  symbolizer.Find(kEntry - 1, &symbols);
  return std::string(symbols.back().name);
}

TEST(ReturnAddressTest, WhatNoCallEndsBeforeIsATrampoline) {
  EXPECT_EQ(NameBefore("\x0f\x1f\x40\x90"), "__restore_rt");      // nop
  EXPECT_EQ(NameBefore("\xcc\xcc\xcc\xcc"), "__restore_rt");      // int3
  EXPECT_EQ(NameBefore("\xe9\x10\x20\x30\x40"), "__restore_rt");  // jmp
}

TEST(ReturnAddressTest, ACallAtAFunctionsEndReturnsBehindIt) {
  EXPECT_EQ(NameBefore("\xe8\x10\x20\x30\x40"), "before");
  EXPECT_EQ(NameBefore("\xff\xd0"), "before");  // call *%rax
}

TEST(ReturnAddressTest, AReturnInstructionMayHaveBeenInterrupted) {
  EXPECT_EQ(NameBefore("\xc3"), "before");
}

TEST(ReturnAddressTest, KnowsEntriesOfInterruptsByName) {
  for (const char* name :
       {"asm_exc_page_fault", "asm_sysvec_apic_timer_interrupt",
        "asm_common_interrupt", "el1h_64_irq", "__irq_svc",
        "__ret_fast_syscall", "ret_from_exception"}) {
    EXPECT_TRUE(IsInterruptEntry(name)) << name;
  }
  for (const char* name :
       {"exc_page_fault", "common_interrupt", "el1h_64_irq_handler",
        "el1_interrupt", "entry_SYSCALL_64_after_hwframe", "error_entry"}) {
    EXPECT_FALSE(IsInterruptEntry(name)) << name;
  }
}

TEST(ReturnAddressTest, FindsTheEntriesOfAKernel) {
  auto table = Kallsyms::Parse(
      SafeFile::FromMemory("kallsyms",
                           "ffffffff81000000 T _stext\n"
                           "ffffffff81a00000 T asm_exc_page_fault\n"
                           "ffffffff81a00020 T asm_sysvec_reboot\n"
                           "ffffffff81a00020 T another_name\n"
                           "ffffffff81a00040 T entry_SYSCALL_64\n"));
  ASSERT_TRUE(table.ok()) << table.status();
  const auto entries = InterruptEntriesOf((*table)->index(), 0x1000);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].start, 0xffffffff819ff000);
  EXPECT_EQ(entries[1].start, 0xffffffff819ff020);
  EXPECT_EQ(entries[1].end, 0xffffffff819ff040);
  // As a kernel moves itself when it starts.
  const auto above = InterruptEntriesOf((*table)->index(), -uint64_t{0x1000});
  ASSERT_EQ(above.size(), 2u);
  EXPECT_EQ(above[0].start, 0xffffffff81a01000);
  EXPECT_EQ(above[1].end, 0xffffffff81a01040);
}

}  // namespace
}  // namespace perf2x
