// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/etm_info.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/span_of.h"

namespace perf2x {
namespace {

constexpr uint64_t kV3 = 0x3030303030303030, kV4 = 0x4040404040404040,
                   kEte = 0x5050505050505050;

std::optional<EtmInfo> Parse(const std::vector<uint64_t>& words) {
  return ParseEtmInfo(SpanOf(words));
}

// Words as cs_etm_info_fill() in tools/perf/arch/arm/util/cs-etm.c writes them.
TEST(EtmInfoTest, EachProtocol) {
  const auto info = Parse({1,          uint64_t{8} << 32 | 4,
                           0,  // four CPUs
                           kV4,        0,
                           7,          0x40,
                           0x10,       0x28000ea1,
                           0x4100f422, 0x20001088,
                           0,          0x8c,  //
                           kEte,       1,
                           9,          0x8080,
                           0x12,       0x288006a1,
                           0x4100fff0, 0xc0001088,
                           0,          0xcc,
                           0x47715a13, 1,  //
                           kV3,        2,
                           4,          0x4000,
                           0x14,       0x8d294004,
                           0x4114f250,  // ETMv3.5
                           kV3,        3,
                           4,          0x1000,
                           0x16,       0x00c019a2,
                           0x411cf312});  // PTM 1.1
  ASSERT_TRUE(info.has_value());
  EXPECT_FALSE(info->snapshot);
  ASSERT_EQ(info->sources.size(), 4u);
  const EtmSource& v4 = info->sources[0];
  EXPECT_EQ(v4.protocol, EtmProtocol::kEtmV4);
  EXPECT_EQ(v4.trace_id, 0x10);
  EXPECT_EQ(v4.idr2, 0x20001088u);
  EXPECT_TRUE(v4.has_context_id());
  EXPECT_FALSE(v4.has_virtual_context_id());
  EXPECT_FALSE(v4.timer_time);
  const EtmSource& ete = info->sources[1];
  EXPECT_EQ(ete.protocol, EtmProtocol::kEte);
  EXPECT_EQ(ete.devarch, 0x47715a13u);
  EXPECT_TRUE(ete.has_virtual_context_id());
  EXPECT_TRUE(ete.timer_time);
  EXPECT_EQ(info->sources[2].protocol, EtmProtocol::kEtmV3);
  EXPECT_TRUE(info->sources[2].has_context_id());
  EXPECT_EQ(info->sources[2].ccer, 0x8d294004u);
  EXPECT_EQ(info->sources[3].protocol, EtmProtocol::kPtm);
  EXPECT_FALSE(info->sources[3].has_context_id());
  EXPECT_EQ(info->sources[3].cpu, 3);
}

TEST(EtmInfoTest, VersionZeroHasNoCounts) {
  const auto info =
      Parse({0, uint64_t{8} << 32 | 2, 1,              //
             kV3, 0, 0, 0x14, 0x8d294004, 0x4114f250,  //
             kV4, 1, 0x40, 0x12, 0x28000ea1, 0x4100f422, 0x488, 0, 0x8c});
  ASSERT_TRUE(info.has_value());
  EXPECT_TRUE(info->snapshot);
  EXPECT_EQ(info->sources[1].trace_id, 0x12);
  EXPECT_EQ(info->sources[1].idr2, 0x488u);
}

TEST(EtmInfoTest, EndsNowhereElse) {
  std::vector<uint64_t> words = {
      1, 1, 0, kV4, 0, 7, 0x40, 0x10, 0x28, 0x4100f422, 0x20001088, 0, 0x8c};
  ASSERT_TRUE(Parse(words).has_value());
  for (size_t size = 0; size < words.size(); ++size) {
    EXPECT_FALSE(Parse({words.begin(), words.begin() + size}).has_value());
  }
  words[5] = ~uint64_t{0};  // the count of parameters
  EXPECT_FALSE(Parse(words).has_value());
  words[5] = 7;
  words[1] = 0xffffffff;
  EXPECT_FALSE(Parse(words).has_value());
  words[1] = 1;
  words[3] = 0x6060606060606060;
  EXPECT_FALSE(Parse(words).has_value());
  words[3] = kV4;
  words[0] = 3;
  EXPECT_FALSE(Parse(words).has_value());
}

// A driver that tells ids in records of their own sets bit 31.
TEST(EtmInfoTest, IdsThatAreNotInUse) {
  const auto info = Parse({2, 1, 0, kV4, 0, 3, 0x40, 0x80000010, 0x28000ea1});
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->sources[0].trace_id, 0);
  const auto id = ParseEtmHardwareId(0x12);
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(id->trace_id, 0x12);
  EXPECT_EQ(id->sink, 0u);
  const auto with_sink = ParseEtmHardwareId(0x0100'0012'3456'7813);
  ASSERT_TRUE(with_sink.has_value());
  EXPECT_EQ(with_sink->trace_id, 0x13);
  EXPECT_EQ(with_sink->sink, 0x12345678u);
  EXPECT_FALSE(ParseEtmHardwareId(0x70).has_value());
  EXPECT_FALSE(ParseEtmHardwareId(0).has_value());
  EXPECT_FALSE(ParseEtmHardwareId(uint64_t{1} << 60 | 0x12).has_value());
}

}  // namespace
}  // namespace perf2x
