// SPDX-License-Identifier: Apache-2.0

// Header features that only simpleperf writes, or writes in its own way
// (record_file_writer.cpp).

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/perf/header/features.h"
#include "converter/perf/header/simpleperf_event_types.h"
#include "converter/perf/records/wire.h"
#include "tests/perf/header/check_feature.h"

namespace perf2x {
namespace {

// Without the count that perf writes.
TEST(SimpleperfFeaturesTest, Auxtrace) {
  CheckFeature(kFeatureAuxtrace,
               "00000000000026a8 "  // file_offset
               "0000000000000030",  // size of the record
               [](const auto& f) {
                 ASSERT_EQ(f.auxtrace_index.size(), 1u);
                 EXPECT_EQ(f.auxtrace_index[0].first, 0x26a8u);
                 EXPECT_EQ(f.auxtrace_index[0].second, 0x30u);
               });
}

TEST(SimpleperfFeaturesTest, MetaInfo) {
  CheckFeature(kFeatureSimpleperfMetaInfo,
               "\"timestamp\" \"5\" "           // key, value
               "\"app_package_name\" \"a.b\"",  // key, value
               [](const auto& f) {
                 EXPECT_EQ(f.simpleperf_meta,
                           (StringPairs{{"timestamp", "5"},
                                        {"app_package_name", "a.b"}}));
               });
}

TEST(SimpleperfFeaturesTest, EventTypes) {
  const std::vector<uint8_t> body = FeatureBody(
      ByteOrder::kLittle, kFeatureSimpleperfMetaInfo,
      "\"a\" \"b\" \"event_type_info\" "
      "\"cpu-cycles,0,0\nsched:sched_switch,2,91\ncs-etm,9,0\nbad,x\"");
  Diagnostics diagnostics;
  const auto types = ReadSimpleperfEventTypes(
      FeatureRecord(ByteOrder::kLittle, body), &diagnostics);
  ASSERT_EQ(types.size(), 3u);
  EXPECT_EQ(types[1].name, "sched:sched_switch");
  EventAttr attr;
  attr.type = 2;
  attr.config = 91;
  EXPECT_TRUE(types[1].Describes(attr));
  attr.config = 92;
  EXPECT_FALSE(types[1].Describes(attr));
  attr.type = 9;  // options of ETM are in the config
  EXPECT_TRUE(types[2].Describes(attr));
}

TEST(SimpleperfFeaturesTest, TracesOfSleeps) {
  const auto traces = [](const std::string& text) {
    const std::vector<uint8_t> body =
        FeatureBody(ByteOrder::kLittle, kFeatureSimpleperfMetaInfo, text);
    return SimpleperfTracesOffCpu(FeatureRecord(ByteOrder::kLittle, body));
  };
  EXPECT_TRUE(traces("\"a\" \"b\" \"trace_offcpu\" \"true\""));
  EXPECT_FALSE(traces("\"trace_offcpu\" \"false\""));
  EXPECT_FALSE(traces("\"a\" \"trace_offcpu\""));
  EXPECT_FALSE(traces("\"trace_offcpu\""));
}

}  // namespace
}  // namespace perf2x
