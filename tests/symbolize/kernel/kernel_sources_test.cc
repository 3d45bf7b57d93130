// SPDX-License-Identifier: Apache-2.0

// Where symbols of kernels and generated code come from.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>

#include "absl/strings/str_cat.h"
#include "tests/symbolize/find/sources_fixture.h"

namespace perf2x {
namespace {

using KernelSourcesTest = SourcesTest;

Dso Kernel() {
  Dso kernel;
  kernel.kind = DsoKind::kKernel;
  kernel.name = "[kernel.kallsyms]";
  return kernel;
}

TEST_F(KernelSourcesTest, KallsymsOfAnotherBootAreShifted) {
  options_.kallsyms = Write("kallsyms",
                            "ffffffff81000000 T _text\n"
                            "ffffffff81000100 T first\n"
                            "ffffffff81000200 T second\n"
                            "ffffffffc0000000 t in_module\t[mod]\n");
  EXPECT_EQ(Name(Kernel(), 0xffffffff81000110), "first");
  Dso moved = Kernel();
  moved.reference_symbol = "_text";
  moved.reference_address = 0xffffffff91000000;
  EXPECT_EQ(Name(moved, 0xffffffff91000210), "second");
  Dso module = Kernel();
  module.kind = DsoKind::kKernelModule;
  module.name = "[mod]";
  EXPECT_EQ(Name(module, 0xffffffffc0000010), "in_module");
}

TEST_F(KernelSourcesTest, HiddenKernelAddressesAreExplained) {
  options_.kallsyms = Write("kallsyms", "0000000000000000 T _text\n");
  EXPECT_EQ(Name(Kernel(), 0xffffffff81000110), "");
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_NE(report_.warnings[0].find("kptr_restrict"), std::string::npos);
}

TEST_F(KernelSourcesTest, NamedFilesThatCannotBeUsedAreSaid) {
  using ::testing::ElementsAre;
  using ::testing::StartsWith;
  const std::string wrong = Write("wrong", "no symbols");
  options_.kallsyms = "/dev/null";
  options_.vmlinux = wrong;
  EXPECT_EQ(Name(Kernel(), 0xffffffff81000110), "");
  EXPECT_THAT(report_.warnings,
              ElementsAre(StartsWith("--kallsyms /dev/null: not a regular"),
                          StartsWith("--vmlinux " + wrong + ": not an ELF")));
  options_.kallsyms = wrong;
  options_.vmlinux.clear();
  EXPECT_EQ(Name(Kernel(), 0xffffffff81000110), "");
  EXPECT_THAT(report_.warnings,
              ElementsAre(StartsWith("--kallsyms " + wrong + ": no kernel")));
  Dso guest = Kernel();
  guest.kind = DsoKind::kGuestKernel;
  options_.guest_kallsyms = wrong;
  EXPECT_EQ(Name(guest, 0xffffffff81000110), "");
  EXPECT_THAT(report_.warnings,
              ElementsAre(StartsWith("--guest-kallsyms " + wrong)));
}

TEST_F(KernelSourcesTest, TheRunningKernelIsNotTakenForTheRecordedOne) {
  EXPECT_EQ(Name(Kernel(), 0xffffffff81000110), "");
  ASSERT_FALSE(report_.tried.empty());
}

TEST_F(KernelSourcesTest, TheVdsoIsTheRunningKernelsWhenThatIsTheRecordedOne) {
  void* library = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) GTEST_SKIP() << "this kernel has no vdso";
  const char* names[] = {"__vdso_clock_gettime", "__kernel_clock_gettime"};
  const void* function = nullptr;
  for (const char* name : names) {
    if (function == nullptr) function = dlsym(library, name);
  }
  dlclose(library);
  ASSERT_NE(function, nullptr);
  const uint64_t offset =
      reinterpret_cast<uint64_t>(function) - getauxval(AT_SYSINFO_EHDR);
  Dso vdso = File("[vdso]");
  vdso.kind = DsoKind::kVdso;
  EXPECT_EQ(Name(vdso, offset), "");
  options_.running_kernel = true;
  EXPECT_THAT(Name(vdso, offset), testing::EndsWith("clock_gettime"));
  EXPECT_FALSE(report_.verified);
  vdso.build_id = id_;
  EXPECT_EQ(Name(vdso, offset), "");
  vdso.build_id = BuildId();
  vdso.below_4g = true;
  EXPECT_EQ(Name(vdso, offset), "");
}

TEST_F(KernelSourcesTest, VmlinuxTellsWhereInterruptsEnter) {
  options_.vmlinux = dir_ + "/vmlinux";
  ASSERT_EQ(system(absl::StrCat("objcopy --add-symbol asm_exc_page_fault=.text:"
                                "0x20,function,global ",
                                kProgram, " ", options_.vmlinux)
                       .c_str()),
            0);
  uint64_t start = 0, entry = 0;
  auto elf = ElfFile::Open(*SafeFile::Open(options_.vmlinux));
  (*elf)->ForEachSymbol(*(*elf)->Find(".symtab"),
                        [&](uint32_t, const ElfFile::Sym& s) {
                          if (s.name() == "_start") start = s.value;
                          if (s.name() == "asm_exc_page_fault") entry = s.value;
                        });
  ASSERT_NE(entry, 0u);
  constexpr uint64_t kMoved = 0xffffffff80000000;
  Dso kernel = Kernel();
  kernel.reference_symbol = "_start";
  kernel.reference_address = start + kMoved;
  const auto entries = MakeSymbolizer(options_)->InterruptEntries(kernel);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].start, entry + kMoved);
}

TEST_F(KernelSourcesTest, VmlinuxWithKaslr) {
  // Any ELF file with a symbol will do; "_start" of this one is the reference.
  options_.vmlinux = Copy(kProgram, "vmlinux");
  Dso kernel = Kernel();
  kernel.build_id = id_;
  auto elf = ElfFile::Open(*SafeFile::Open(kProgram));
  uint64_t start = 0;
  (*elf)->ForEachSymbol(*(*elf)->Find(".symtab"),
                        [&](uint32_t, const ElfFile::Sym& s) {
                          if (s.name() == "_start") start = s.value;
                        });
  ASSERT_NE(start, 0u);
  kernel.reference_symbol = "_start";
  kernel.reference_address = start + 0xffffffff80000000;
  EXPECT_EQ(Name(kernel, 0xffffffff80000230), "demo::Outer");
  EXPECT_TRUE(report_.verified);
  EXPECT_TRUE(report_.warnings.empty());
  kernel.reference_symbol = "";
  EXPECT_EQ(Name(kernel, 0x230), "demo::Outer");
  EXPECT_EQ(report_.warnings.size(), 1u);
}

TEST_F(KernelSourcesTest, PerfMapsNameAnonymousCode) {
  Write("maps/perf-77.map", "7f0000001000 100 jitted function\n");
  options_.perf_map_dirs = {dir_ + "/maps"};
  Dso code;
  code.kind = DsoKind::kAnonymous;
  code.name = "[anon]";
  code.pid = 77;
  EXPECT_EQ(Name(code, 0x7f0000001010), "jitted function");
  code.pid = 78;
  EXPECT_EQ(Name(code, 0x7f0000001010), "");
}

TEST_F(KernelSourcesTest, GeneratedCodeHasItsNameAndLines) {
  Dso code;
  code.kind = DsoKind::kGenerated;
  code.name = "[jit]";
  code.symbol = "foo";
  code.start = 0x1000;
  code.end = 0x1100;
  code.lines = std::make_shared<const std::vector<GeneratedLine>>(
      std::vector<GeneratedLine>{{0, 3, "a.js"}, {0x10, 4, "a.js"}});
  auto symbolizer = MakeSymbolizer(options_);
  const uint64_t addresses[] = {0x1004, 0x1010};
  std::vector<uint32_t> lines;
  symbolizer->Resolve(code, addresses,
                      [&](size_t, absl::Span<const Symbol> symbols) {
                        EXPECT_EQ(symbols[0].name, "foo");
                        EXPECT_EQ(symbols[0].file, "a.js");
                        EXPECT_EQ(symbols[0].start_line, 3u);
                        lines.push_back(symbols[0].line);
                      });
  EXPECT_EQ(lines, (std::vector<uint32_t>{3, 4}));
}

}  // namespace
}  // namespace perf2x
