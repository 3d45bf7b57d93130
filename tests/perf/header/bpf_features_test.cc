// SPDX-License-Identifier: Apache-2.0

// BPF_PROG_INFO and BPF_BTF: the kernel's structs in them, as its
// include/uapi/linux/bpf.h and btf.h lay them out.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/perf/header/features.h"
#include "tests/perf/header/check_feature.h"

namespace perf2x {
namespace {

TEST(BpfFeaturesTest, BpfProgInfoNamesItsFunctionsAndLinesByBtf) {
  // struct bpf_prog_info, up to prog_tags. Offsets are into `data`.
  const std::string info =
      "0000001a 00000007 "  // type, id
      "=0011223344556677 "  // tag
      "0*48 "               // 16: to the name
      "\"prog\" 0*11 "      // 64: name
      "0*24 "               // 80: to the functions
      "00000002 00000002 "  // 104: nr_jited_ksyms, _func_lens
      "0000000000000000 "   // 112: jited_ksyms
      "0000000000000010 "   // 120: jited_func_lens
      "00000009 00000008 "  // 128: btf_id, func_info_rec_size
      "0000000000000018 "   // 136: func_info
      "00000002 "           // 144: nr_func_info
      "00000002 "           // 148: nr_line_info
      "0000000000000038 "   // 152: line_info
      "0000000000000058 "   // 160: jited_line_info
      "00000002 "           // 168: nr_jited_line_info
      "00000010 00000008 "  // 172: the sizes of their elements
      "00000002 "           // 180: nr_prog_tags
      "0000000000000028 ";  // 184: prog_tags
  const std::string data =
      "ffffffffc0001000 ffffffffc0002000 "  //  0: jited_ksyms
      "00000100 00000080 "                  // 16: jited_func_lens
      "00000000 00000001 "                  // 24: func_info: offset, type
      "00000010 00000002 "                  //     of the second function
      "=0011223344556677 "                  // 40: prog_tags
      "=8899aabbccddeeff "
      "00000010 00000006 00000000 00000c03 "  // 56: line_info: instruction,
      "00000011 00000006 00000000 00001001 "  // file, text, line << 10 | column
      "ffffffffc0002004 ffffffffc0002000";    // 88: jited_line_info
  const std::string programs = absl::StrCat(
      "00000001 "  // cnt
      "000000c0 "  // info_len: 192
      "00000068 "  // data_len: 104
      "0*8 ",      // arrays
      info, data);
  // struct btf_header, two functions, their names.
  const std::string btf =
      "eb9f 01 00 00000018 "         // magic, version, flags, hdr_len
      "00000000 0000001c "           // type_off, type_len
      "0000001c 0000000b "           // str_off, str_len
      "00000001 0c000000 00000000 "  // FUNC: name_off, info, type
      "00000006 01000000 00000000 "  // INT: an entry of four bytes more
      "00000020 "
      "=00 \"main\" \"four\" 0*0";  // strings
  const std::string types = absl::StrCat(
      "00000001 "   // cnt
      "00000009 "   // id
      "0000003f ",  // data_size
      btf);
  HeaderFeatures f;
  CheckFeature(kFeatureBpfProgInfo, programs, [&](const HeaderFeatures& got) {
    f.bpf_programs = got.bpf_programs;
    ASSERT_EQ(got.bpf_programs.size(), 1u);
    const BpfProgram& p = got.bpf_programs[0];
    EXPECT_EQ(p.id, 7u);
    EXPECT_EQ(p.btf_id, 9u);
    EXPECT_EQ(p.name, "prog");
    EXPECT_EQ(p.tag, "0011223344556677");
    ASSERT_EQ(p.functions.size(), 2u);
    EXPECT_EQ(p.functions[1].address, 0xffffffffc0002000);
    EXPECT_EQ(p.functions[1].size, 0x80u);
    EXPECT_EQ(p.functions[1].tag, "8899aabbccddeeff");
    EXPECT_EQ(p.functions[1].type_id, 2u);
    ASSERT_EQ(p.lines.size(), 2u);  // recorded the other way round
    EXPECT_EQ(p.lines[0].address, 0xffffffffc0002000);
    EXPECT_EQ(p.lines[1].address, 0xffffffffc0002004);
  });
  CheckFeature(kFeatureBpfBtf, types, [&](const HeaderFeatures& got) {
    f.bpf_types = got.bpf_types;
    ASSERT_EQ(got.bpf_types.size(), 1u);
    EXPECT_EQ(got.bpf_types[0].id, 9u);
    EXPECT_EQ(got.bpf_types[0].names, (std::vector<uint32_t>{1, 0}));
    EXPECT_EQ(got.bpf_types[0].StringAt(1), "main");
  });
  ASSERT_EQ(f.bpf_programs.size(), 1u);
  EXPECT_EQ(BpfFunctionName(f.bpf_programs[0], 0, f.bpf_types),
            "bpf_prog_0011223344556677_main");
  EXPECT_EQ(BpfFunctionName(f.bpf_programs[0], 1, f.bpf_types),
            "bpf_prog_8899aabbccddeeff_F");
  const std::vector<BpfLine> lines =
      BpfLinesAt(0xffffffffc0002000, f.bpf_programs, f.bpf_types);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].offset, 0u);
  EXPECT_EQ(lines[0].file, "four");
  EXPECT_EQ(lines[0].line, 4u);
  EXPECT_EQ(lines[1].offset, 4u);
  EXPECT_EQ(lines[1].line, 3u);
  EXPECT_TRUE(
      BpfLinesAt(0xffffffffc0001000, f.bpf_programs, f.bpf_types).empty());
}

// All lines of a function are found, so that the caller can count what it costs
// to look at them: also those whose file is damaged.
TEST(BpfFeaturesTest, LinesOfUnknownFilesAreFound) {
  BpfProgram program;
  program.btf_id = 9;
  BpfProgram::Function& function = program.functions.emplace_back();
  function.address = 0x2000;
  function.size = 0x10;
  program.lines = {
      {0x1fff, 0, 1}, {0x2000, 77, 2}, {0x200f, 1, 3}, {0x2010, 1, 4}};
  BpfBtf types;
  types.id = 9;
  types.strings = std::string("\0a.c\0", 5);
  const std::vector<BpfProgram> programs = {program};
  const std::vector<BpfBtf> all_types = {
      types};  // the lines' files refer to it
  const std::vector<BpfLine> lines = BpfLinesAt(0x2000, programs, all_types);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].file, "");
  EXPECT_EQ(lines[0].line, 2u);
  EXPECT_EQ(lines[1].offset, 0xfu);
  EXPECT_EQ(lines[1].file, "a.c");
}

}  // namespace
}  // namespace perf2x
