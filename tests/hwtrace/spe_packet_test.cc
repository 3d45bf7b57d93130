// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/spe_packet.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace perf2x {
namespace {

std::vector<uint8_t> FromHex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (const auto digits : absl::StrSplit(hex, ' ', absl::SkipEmpty())) {
    bytes.push_back(
        static_cast<uint8_t>(std::stoi(std::string(digits), nullptr, 16)));
  }
  return bytes;
}

// The packets as perf writes them, with their sizes.
std::string TextOf(const std::string& hex) {
  const std::vector<uint8_t> trace = FromHex(hex);
  std::string text;
  for (size_t at = 0; at < trace.size();) {
    const SpePacket packet = ReadSpePacket(trace, at);
    absl::StrAppend(&text, text.empty() ? "" : "|", packet.size, " ");
    AppendSpePacket(packet, &text);
    at += packet.size;
  }
  return text;
}

// Bytes and words that perf 7.2 has for them (`perf report -D`).
TEST(SpePacketTest, EachKind) {
  EXPECT_EQ(TextOf("00 01"), "1 PAD|1 END");
  EXPECT_EQ(TextOf("71 01 02 03 04 05 06 07 00"), "9 TS 1976943448883713");
  EXPECT_EQ(TextOf("b0 f4 d3 29 10 00 80 ff a0"),
            "9 PC 0xff80001029d3f4 el1 ns=1");
  EXPECT_EQ(TextOf("b1 00 10 00 00 00 00 00 c0"), "9 TGT 0x1000 el2 ns=1");
  EXPECT_EQ(TextOf("b2 00 10 00 00 00 00 00 12"), "9 VA 0x1200000000001000");
  EXPECT_EQ(TextOf("b3 00 10 00 00 00 00 00 c3"),
            "9 PA 0x1000 ns=1 ch=1 pat=3");
  EXPECT_EQ(TextOf("b4 00 20 00 00 00 00 00 80"), "9 PBT 0x2000 el0 ns=1");
  EXPECT_EQ(TextOf("99 0b 00"), "3 LAT 11 ISSUE");
  EXPECT_EQ(TextOf("98 0d 00 9a 01 00"), "3 LAT 13 TOT|3 LAT 1 XLAT");
  EXPECT_EQ(TextOf("64 d2 04 00 00"), "5 CONTEXT 0x4d2 el1");
  EXPECT_EQ(TextOf("65 d2 04 00 00"), "5 CONTEXT 0x4d2 el2");
  EXPECT_EQ(TextOf("43 0e"), "2 DATA-SOURCE 14");
  EXPECT_EQ(TextOf("53 0e 01"), "3 DATA-SOURCE 270");
}

TEST(SpePacketTest, ExtendedHeaders) {
  EXPECT_EQ(TextOf("20 99 0b 00"), "4 LAT 11 ISSUE");
  EXPECT_EQ(TextOf("21 b0 00 00 00 00 00 00 00 00"), "10 ADDR 0x0 (8)");
  // An alignment packet reaches to the next multiple of 4.
  EXPECT_EQ(TextOf("01 21 00 00 01 00 00 00"),
            "1 END|3 PAD|1 END|1 PAD|1 PAD|1 PAD");
}

TEST(SpePacketTest, Events) {
  EXPECT_EQ(TextOf("42 02"), "2 EV RETIRED");
  EXPECT_EQ(TextOf("52 0c 07"),
            "3 EV L1D-ACCESS L1D-REFILL LLC-ACCESS LLC-REFILL REMOTE-ACCESS");
  EXPECT_EQ(TextOf("62 f3 08 07 00"),
            "5 EV EXCEPTION-GEN RETIRED TLB-ACCESS TLB-REFILL NOT-TAKEN "
            "MISPRED ALIGNMENT TXN SVE-PARTIAL-PRED SVE-EMPTY-PRED");
  EXPECT_EQ(TextOf("72 00 10 f8 03 00 00 00 80"),
            "9 EV L2D-ACCESS L2D-MISS HITM LFB SNOOPED STREAMING-SVE SMCU "
            "IMPDEF:12,63");
}

TEST(SpePacketTest, Operations) {
  EXPECT_EQ(TextOf("48 00"), "2 OTHER INSN-OTHER");
  EXPECT_EQ(TextOf("48 07"), "2 OTHER ASE FP COND-SELECT");
  EXPECT_EQ(TextOf("48 2e"), "2 SVE-OTHER EVLEN 128 FP PRED");
  EXPECT_EQ(TextOf("48 9e"), "2 SME-OTHER ETS 1024 FP");
  EXPECT_EQ(TextOf("48 81"), "2 OP-TYPE 0x81 (0)");
  EXPECT_EQ(TextOf("49 00"), "2 LD GP-REG");
  EXPECT_EQ(TextOf("49 01"), "2 ST GP-REG");
  EXPECT_EQ(TextOf("49 04"), "2 LD SIMD-FP");
  EXPECT_EQ(TextOf("49 10"), "2 LD UNSPEC-REG");
  EXPECT_EQ(TextOf("49 14"), "2 LD MTE-TAG");
  EXPECT_EQ(TextOf("49 30"), "2 LD NV-SYSREG");
  EXPECT_EQ(TextOf("49 20"), "2 LD MEMCPY");
  EXPECT_EQ(TextOf("49 25"), "2 ST MEMSET");
  EXPECT_EQ(TextOf("49 1e"), "2 LD AT EXCL AR");
  EXPECT_EQ(TextOf("49 bc"), "2 LD SVE-SME-REG EVLEN 256 PRED SG");
  EXPECT_EQ(TextOf("49 44"), "2 LD GCS COMM");
  EXPECT_EQ(TextOf("4a 00"), "2 B");
  EXPECT_EQ(TextOf("4a 0f"), "2 B COND IND GCS CR-BL");
  EXPECT_EQ(TextOf("4a 12"), "2 B IND CR-RET");
  EXPECT_EQ(TextOf("4a 1a"), "2 B IND CR-NON-BL-RET");
  EXPECT_EQ(TextOf("4b 05"), "2 OP-TYPE 0x5 (3)");
}

TEST(SpePacketTest, WhatIsNoPacket) {
  EXPECT_EQ(TextOf("ff 01"), "1 Bad packet!|1 END");
  EXPECT_EQ(TextOf("20"), "1 Bad packet!");
  EXPECT_EQ(TextOf("20 42 00"), "1 Bad packet!|2 EV");
  EXPECT_EQ(TextOf("71 01 02"), "1 Bad packet!|1 END|1 Bad packet!");
  EXPECT_EQ(TextOf("22 00 00"), "1 Bad packet!|1 PAD|1 PAD");
}

// Every header byte, before every number of bytes, is read within bounds.
TEST(SpePacketTest, EveryHeader) {
  for (int first = 0; first < 256; ++first) {
    for (size_t size = 1; size < 20; ++size) {
      std::vector<uint8_t> trace(size, 0xb0);
      trace[0] = static_cast<uint8_t>(first);
      const SpePacket packet = ReadSpePacket(trace, 0);
      EXPECT_GE(packet.size, 1);
      EXPECT_LE(packet.size, size);
      std::string text;
      AppendSpePacket(packet, &text);
    }
  }
}

}  // namespace
}  // namespace perf2x
