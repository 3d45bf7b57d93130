// SPDX-License-Identifier: Apache-2.0

// Files with their functions, as simpleperf (record_file_writer.cpp,
// record_file.proto) and hiperf (perf_file_format.cpp) write them.

#include "converter/perf/header/recorded_files.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/perf/header/check_feature.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;

// A line for each file and each of its symbols; "damaged" if it is so.
Lines FilesIn(const RawRecord& record) {
  Lines lines;
  const bool whole = ForEachRecordedFile(record, [&](const RecordedFile& f) {
    lines.push_back(absl::StrCat(
        f.path, " type ", f.type, " at ", absl::Hex(f.min_address), " offset ",
        f.min_address_offset ? absl::StrCat(absl::Hex(*f.min_address_offset))
                             : "-"));
    uint64_t count = 0;
    f.ForEachSymbol([&](const RecordedSymbol& s) {
      ++count;
      lines.push_back(
          absl::StrCat("  ", absl::Hex(s.address), "+", s.size, " ", s.name));
    });
    EXPECT_EQ(count, f.symbol_count);
  });
  if (!whole) lines.push_back("damaged");
  return lines;
}

Lines FilesIn(ByteOrder order, uint32_t feature, const std::string& wire) {
  const std::vector<uint8_t> body = FeatureBody(order, feature, wire);
  // No cut is read beyond its end, or has more files than the whole.
  const Lines all = FilesIn(FeatureRecord(order, body));
  for (size_t n = 0; n < body.size(); ++n) {
    const std::vector<uint8_t> cut(body.begin(), body.begin() + n);
    EXPECT_LE(FilesIn(FeatureRecord(order, cut)).size(), all.size()) << n;
  }
  return all;
}

TEST(RecordedFilesTest, SimpleperfFile) {
  const std::string elf =
      "\"/lib/a.so\" "     // path
      "00000002 "          // file_type: ELF
      "0000000000001000 "  // min_vaddr
      "00000001 "          // symbol count
      "0000000000001010 "  // vaddr
      "00000020 "          // len
      "\"main\" "          // name
      "0000000000000040";  // file_offset_of_min_vaddr
  const std::string dex =
      "\"/b.dex\" "        // path
      "00000003 "          // file_type: DEX
      "0000000000000000 "  // min_vaddr
      "00000000 "          // symbol count
      "00000001 "          // dex file count
      "0000000000000080";  // its offset
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    EXPECT_EQ(FilesIn(order, kFeatureSimpleperfFile,
                      absl::StrCat("00000033 ", elf, " 00000023 ", dex)),
              (Lines{"/lib/a.so type 2 at 1000 offset 40", "  1010+32 main",
                     "/b.dex type 3 at 0 offset -"}));
  }
}

TEST(RecordedFilesTest, SimpleperfFileWithoutOffset) {
  const std::string old = "\"a\" 00000002 0000000000001000 00000000";
  const std::string unknown = absl::StrCat(old, " ffffffffffffffff");
  EXPECT_EQ(FilesIn(ByteOrder::kLittle, kFeatureSimpleperfFile,
                    absl::StrCat("00000012 ", old, " 0000001a ", unknown)),
            (Lines{"a type 2 at 1000 offset -", "a type 2 at 1000 offset -"}));
}

// A protobuf: field numbers 1 path, 2 type, 3 min_vaddr, 4 symbol (1 vaddr, 2
// len, 3 name), 6 elf_file, 7 kernel_module (1 offset).
TEST(RecordedFilesTest, SimpleperfFile2) {
  const std::string elf =
      "0a 02 2f 61 "                      // path "/a"
      "10 02 18 80 20 "                   // type 2, min_vaddr 0x1000
      "22 08 08 90 20 10 05 1a 01 66 "    // symbol 0x1010, len 5, "f"
      "7a 01 00 "                         // a field that is not known
      "32 02 08 40";                      // file offset 0x40
  const std::string kernel = "0a 01 6b";  // zeros are not written
  EXPECT_EQ(FilesIn(ByteOrder::kLittle, kFeatureSimpleperfFile2,
                    absl::StrCat("0000001a ", elf, " 00000003 ", kernel)),
            (Lines{"/a type 2 at 1000 offset 40", "  1010+5 f",
                   "k type 0 at 0 offset -"}));
}

TEST(RecordedFilesTest, HiperfFiles) {
  const std::string elf =
      "00000006 \"/a.so\" "                 // path
      "00000003 "                           // type, which differs by version
      "0000000000002000 0000000000001000 "  // code at, offset
      "00000001 \"\" "                      // build id
      "00000001 "                           // symbols
      "0000000000002010 00000004 00000002 \"g\" ";
  const std::string kernel =
      "00000012 \"[kernel.kallsyms]\" 00000000 "
      "ffffffffffffffff 0000000000000000 00000001 \"\" 00000000";
  EXPECT_EQ(FilesIn(ByteOrder::kLittle, kFeatureHiperfFilesSymbol,
                    absl::StrCat("00000002 ", elf, kernel)),
            (Lines{"/a.so type 2 at 2000 offset 1000", "  2010+4 g",
                   "[kernel.kallsyms] type 0 at ffffffffffffffff offset 0"}));
}

TEST(RecordedFilesTest, CountsAreNotBelieved) {
  EXPECT_EQ(FilesIn(ByteOrder::kLittle, kFeatureSimpleperfFile,
                    "00000012 \"a\" 00000002 0000000000001000 ffffffff"),
            Lines{"damaged"});
  EXPECT_EQ(FilesIn(ByteOrder::kLittle, kFeatureHiperfFilesSymbol, "ffffffff"),
            Lines{"damaged"});
}

}  // namespace
}  // namespace perf2x
