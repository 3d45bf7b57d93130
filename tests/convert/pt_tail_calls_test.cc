// SPDX-License-Identifier: Apache-2.0

// Slices of Intel PT where functions jump to others in place of a call and a
// return.

#ifdef PERF2X_INTEL_PT
#include <elf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/pt_recording_test.h"

namespace perf2x {
namespace {

constexpr uint64_t kBase = PtProgram::kBase, kFile = 0x1000;

using Functions = std::vector<std::pair<uint64_t, std::string>>;

class PtTailCallsTest : public IntelPtRecordingTest {
 protected:
  // Puts a program with these functions, of 16 bytes each, where /bin/a is
  // looked for.
  void InstallWithSymbols(const std::string& code, const Functions& functions) {
    std::string names(1, '\0');
    Bytes table;
    table.Add(std::string(sizeof(Elf64_Sym), '\0'));
    for (const auto& [at, name] : functions) {
      table.U32(static_cast<uint32_t>(names.size()));
      table.U8(STB_GLOBAL << 4 | STT_FUNC).U8(0).U16(1);
      table.U64(kFile + at).U64(16);
      names += name + '\0';
    }
    std::filesystem::create_directories(folder_.File("bin"));
    std::ofstream(folder_.File("bin/a"), std::ios::binary) << TestElf(
        *MachineOf("x86_64", 2),
        {{".text", kFile, code, SHF_EXECINSTR},
         {".symtab", 0x2000, table.str(), 0, SHT_SYMTAB, 3, sizeof(Elf64_Sym)},
         {".strtab", 0x3000, names, 0, SHT_STRTAB}});
  }

  // The changes of calls of process 100: the depth, and where the function
  // that begins is.
  Lines ChangesOf(const ByteVector& trace, bool symbolize = true) {
    Recording recording = NewProcessRecording();
    AddTrace({.bytes = trace, .cpu = -1, .tid = 100}, &recording);
    ConvertOptions options;
    options.symbolize = symbolize;
    options.symbols.binaries.symfs = folder_.path();
    options.itrace = *ParseItraceOptions("cr");
    Lines lines;
    RecordingReader reader;
    reader.needs.calls = true;
    std::vector<FrameId> frames;
    reader.on_call = [&](const Call& call, TraceTables& tables) {
      std::string line = absl::StrCat(call.depth);
      if (call.function != kNoId) {
        tables.FramesOf(call.function, &frames);
        absl::StrAppend(&line, "+",
                        absl::Hex(tables.frames()[frames[0]].address - kFile));
      }
      lines.push_back(line);
    };
    EXPECT_TRUE(
        ReadRecording(MemoryInput(AsFile(recording)), options, reader).ok());
    return lines;
  }
};

// 00: call 10; nop; jz 00
// 10: nop (4 times); jmp 20
// 20: nop (4 times); jmp 26; 26: jz 20; jmp 40
// 30: ret
// 40: nop (4 times); jmp 30
const std::string kCode(
    "\xe8\x0b\x00\x00\x00\x90\x74\xf8\x90\x90\x90\x90\x90\x90\x90\x90"
    "\x90\x90\x90\x90\xeb\x0a\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
    "\x90\x90\x90\x90\xeb\x00\x74\xf8\xeb\x16\x90\x90\x90\x90\x90\x90"
    "\xc3\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
    "\x90\x90\x90\x90\xeb\xea\x90\x90",
    0x48);

ByteVector Trace() {
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  trace.Tnt(true);   // 26: to 20
  trace.Tnt(false);  // 26: to 28
  trace.Tip(kBase + 5);
  trace.Disable(kBase + 6);
  return trace.Bytes();
}

TEST_F(PtTailCallsTest,
       AJumpToAFunctionIsThatFunctionInPlaceOfTheOneThatJumps) {
  InstallWithSymbols(kCode,
                     {{0, "main"}, {0x10, "f"}, {0x20, "g"}, {0x40, "h"}});
  // 30 is behind the end of g, but no function begins there.
  EXPECT_EQ(ChangesOf(Trace()), (Lines{"0+0", "1+10", "1+20", "1+40", "1"}));
}

TEST_F(PtTailCallsTest, ASplitOffPartIsOfItsFunction) {
  InstallWithSymbols(kCode,
                     {{0, "main"}, {0x10, "f"}, {0x20, "g"}, {0x40, "g.cold"}});
  EXPECT_EQ(ChangesOf(Trace()), (Lines{"0+0", "1+10", "1+20", "1"}));
}

TEST_F(PtTailCallsTest, AReturnThunkIsAReturn) {
  InstallWithSymbols(kCode, {{0, "main"},
                             {0x10, "f"},
                             {0x20, "g"},
                             {0x30, "srso_return_thunk"},
                             {0x40, "__x86_return_thunk"}});
  EXPECT_EQ(ChangesOf(Trace()), (Lines{"0+0", "1+10", "1+20", "1"}));
}

TEST_F(PtTailCallsTest, WithoutSymbolsAJumpIsPartOfTheFunctionThatJumps) {
  InstallWithSymbols(kCode, {});
  EXPECT_EQ(ChangesOf(Trace()), (Lines{"0+0", "1+10", "1"}));
  InstallWithSymbols(kCode, {{0, "main"}, {0x10, "f"}, {0x20, "g"}});
  EXPECT_EQ(ChangesOf(Trace(), /*symbolize=*/false),
            (Lines{"0+0", "1+10", "1"}));
}

}  // namespace
}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
