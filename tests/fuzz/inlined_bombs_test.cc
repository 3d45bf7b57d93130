// SPDX-License-Identifier: Apache-2.0

// Recordings of at most 1 MB whose stacks have thousands of frames, each with
// a thousand inlined functions.

#include <dwarf.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/symbol_bombs.h"
#include "tests/support/bombs.h"
#include "tests/support/bounds.h"
#include "tests/support/compressed_file.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

constexpr uint64_t kStart = 0x10000000, kInlinedSize = 0x1000;

// Returns a file in which 990 functions are inlined into "main", one in the
// other, at each of kInlinedSize addresses.
std::string DeepFile() {
  Bytes abbrev;
  const auto declare = [&](uint8_t code, uint8_t tag, bool children,
                           std::initializer_list<int> attributes) {
    abbrev.U8(code).U8(tag).U8(children ? 1 : 0);
    for (const int a : attributes) abbrev.U8(static_cast<uint8_t>(a));
    abbrev.U16(0);
  };
  declare(1, DW_TAG_compile_unit, true,
          {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4});
  declare(2, DW_TAG_subprogram, false,
          {DW_AT_name, DW_FORM_string, DW_AT_inline, DW_FORM_data1});
  declare(3, DW_TAG_subprogram, true,
          {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_name,
           DW_FORM_string});
  declare(4, DW_TAG_inlined_subroutine, true,
          {DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
           DW_AT_high_pc, DW_FORM_data4});
  abbrev.U8(0);
  constexpr uint32_t kOrigin = 11 + 13;  // after the head and the unit's entry
  Bytes unit;
  unit.U16(4).U32(0).U8(8);
  unit.U8(1).U64(kCode).U32(kInlinedSize);
  unit.U8(2).Add(std::string("g\0", 2)).U8(1);
  unit.U8(3).U64(kCode).U32(kInlinedSize).Add(std::string("main\0", 5));
  for (int i = 0; i < 990; ++i) {
    unit.U8(4).U32(kOrigin).U64(kCode).U32(kInlinedSize);
  }
  unit.Add(std::string(992, '\0'));
  return MakeElf(
      {{".debug_abbrev", SHT_PROGBITS, abbrev.str()},
       {".debug_info", SHT_PROGBITS, Bytes().Sized(unit.str()).str()}});
}

// Returns a recording of `count` stacks of 8,000 equal frames, whose outermost
// frames differ.
ByteVector DeepStacks(uint64_t count) {
  Recording recording = NewRecording(kUsualFields | kSampleCallchain);
  recording.Add(Map(1, kStart, 1 << 22, "/deep"), At(1));
  const uint64_t code = kStart + kCode;
  std::vector<uint64_t> chain(8000, code + 16);
  chain[0] = kContextUser;
  for (uint64_t i = 0; i < count; ++i) {
    chain[7998] = code + 17 + i % 2000;
    chain[7999] = code + 17 + i / 2000;
    SampleRecord sample = SampleAt(i + 2, 1, chain[1]);
    sample.nr = chain.size();
    sample.ips = {reinterpret_cast<const uint8_t*>(chain.data()), chain.size(),
                  kHostOrder};
    recording.Add(sample);
  }
  return Zstded(AsPipe(recording));
}

class InlinedBombTest : public testing::TestWithParam<const char*> {};

TEST_P(InlinedBombTest, StaysWithinTheBounds) {
  TempFolder folder;
  std::ofstream(folder.File("deep"), std::ios::binary) << DeepFile();
  for (const uint64_t stacks : {1, 16, 100, 1000}) {
    if (Sanitized() && stacks > 100) break;  // takes minutes
    const ByteVector recording = DeepStacks(stacks);
    ASSERT_LT(recording.size(), kBoundedInput);
    const Outcome outcome =
        ConvertWithSymfs(MemoryInput(recording), GetParam(), folder.path());
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    ExpectWithinBounds(outcome, absl::StrCat(stacks, " stacks"));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, InlinedBombTest,
                         testing::Values("chrome", "csv", "firefox", "folded",
                                         "html", "parquet", "perfetto", "pprof",
                                         "speedscope"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

// The frames do have inlined functions, so that the above tests something.
TEST(InlinedBombsTest, HaveInlinedFunctions) {
  TempFolder folder;
  std::ofstream(folder.File("deep"), std::ios::binary) << DeepFile();
  const Outcome outcome =
      ConvertWithSymfs(MemoryInput(DeepStacks(1)), "speedscope", folder.path());
  EXPECT_GT(outcome.output_bytes, 65'536u * 2);
  EXPECT_NE(outcome.Complaints().find("inlined functions"), std::string::npos)
      << outcome.Complaints();
}

}  // namespace
}  // namespace perf2x
