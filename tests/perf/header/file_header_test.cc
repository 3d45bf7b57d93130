// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/file_header.h"

#include <gtest/gtest.h>

#include "converter/perf/records/wire.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

// perf_file_header, tools/perf/util/header.h, with an attr section that holds
// nothing.
std::string Header(const char* magic, const char* bitmap) {
  return std::string("'") + magic +
         "' "                   // magic
         "0000000000000068 "    // size: 104
         "0000000000000090 "    // attr_size: 144
         "0000000000000068 "    // attrs.offset
         "0000000000000000 "    // attrs.size
         "0000000000000068 "    // data.offset
         "0000000000000010 "    // data.size
         "0000000000000000 "    // event_types.offset
         "0000000000000000 " +  // event_types.size
         bitmap;
}
constexpr char kHostnameAndCmdline[] = "0000000000000808 0*24";  // bits 3, 11

const char* MagicOf(ByteOrder order) {
  return order == ByteOrder::kLittle ? "PERFILE2" : "2ELIFREP";
}

TEST(FileHeaderTest, FileOfEitherByteOrder) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const auto header = ReadFileHeader(
        Wire(order, Header(MagicOf(order), kHostnameAndCmdline)));
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->kind, FileHeader::Kind::kFile);
    EXPECT_EQ(header->order, order);
    EXPECT_EQ(header->attr_size, 144u);
    EXPECT_EQ(header->data.offset, 104u);
    EXPECT_EQ(header->data.size, 16u);
    EXPECT_EQ(header->features,
              (std::vector<uint32_t>{kFeatureHostname, kFeatureCmdline}));
  }
}

// A 32-bit big-endian writer has the halves of each word of the bitmap
// exchanged.
TEST(FileHeaderTest, FeaturesOfA32BitBigEndianWriter) {
  const auto header = ReadFileHeader(
      Wire(ByteOrder::kBig, Header("2ELIFREP", "00000808 00000000 0*24")));
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->features,
            (std::vector<uint32_t>{kFeatureHostname, kFeatureCmdline}));
}

TEST(FileHeaderTest, Pipe) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const auto header = ReadFileHeader(
        Wire(order, std::string("'") + MagicOf(order) + "' 0000000000000010"));
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->kind, FileHeader::Kind::kPipe);
    EXPECT_EQ(header->order, order);
  }
}

// The first version's magic is the same in both orders: attr_size tells.
TEST(FileHeaderTest, FirstVersionOfEitherByteOrder) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    std::string text = Header("PERFFILE", "0*32");
    text.replace(text.find("90 "), 2, "58");  // 72 + 16
    const auto header = ReadFileHeader(Wire(order, text));
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->kind, FileHeader::Kind::kFileV1);
    EXPECT_EQ(header->order, order);
    EXPECT_EQ(header->attr_size, 88u);
  }
}

// Before there were features, the header was shorter.
TEST(FileHeaderTest, AncientHeaderHasNoFeatures) {
  std::string text = Header("PERFILE2", "");
  text.replace(text.find("68 "), 2, "48");  // size: 72
  const auto header = ReadFileHeader(Wire(ByteOrder::kLittle, text + " 0*32"));
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_TRUE(header->features.empty());
}

TEST(FileHeaderTest, EveryCutIsRefusedInOneLine) {
  const std::vector<uint8_t> whole =
      Wire(ByteOrder::kLittle, Header("PERFILE2", kHostnameAndCmdline));
  for (size_t n = 0; n < whole.size(); ++n) {
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + n);
    const auto header = ReadFileHeader(cut);
    EXPECT_FALSE(header.ok()) << n;
    EXPECT_EQ(header.status().message().find('\n'), std::string::npos);
  }
}

TEST(FileHeaderTest, SaysWhatIsMistakenForARecording) {
  struct Case {
    absl::string_view starts, says;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"SIMPLEPERF\x01", "report of simpleperf report-sample"},
           {"\n\x18simpleperf:EtmBranchList", "branch list of simpleperf"},
           {"HIPERF_PB_\x01", "report of hiperf report --proto"},
           {"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
           {"version1", "starts with \"version1\""}}) {
    const std::vector<uint8_t> bytes(c.starts.begin(), c.starts.end());
    const absl::Status status = CheckMagic(bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(c.says), std::string::npos) << status;
    EXPECT_EQ(status.message().find("not a perf.data"), 0u) << status;
    EXPECT_EQ(status.message().find('\n'), std::string::npos) << status;
  }
}

TEST(FileHeaderTest, RefusesSectionsOutsideOfTheFile) {
  for (const size_t at : {24, 32, 40}) {  // attrs.offset, .size, data.offset
    std::vector<uint8_t> bytes =
        Wire(ByteOrder::kLittle, Header("PERFILE2", kHostnameAndCmdline));
    std::fill_n(bytes.begin() + static_cast<long>(at), 8, 0xff);
    EXPECT_FALSE(ReadFileHeader(bytes).ok()) << at;
  }
}

}  // namespace
}  // namespace perf2x
