// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/build_ids.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/wire.h"
#include "tests/perf/header/check_feature.h"

namespace perf2x {
namespace {

// perf_record_header_build_id as it stands in a file's section: without a type.
TEST(BuildIdsTest, OfEachAge) {
  const std::string entries =
      "00000000 8002 0030 "                         // type, misc, size
      "ffffffff "                                   // pid
      "=000102030405060708090a0b0c0d0e0f00000000 "  // build_id
      "10 0*3 "                                     // size, reserved
      "\"/lib/a.so\" 0*2 "                          // filename
      "00000000 0002 0028 "                         // written without a size
      "00000007 "
      "=000102030405060708090a0b0c0d0e0f10111213 "
      "00 0*3 "
      "\"abc\"";
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const std::vector<uint8_t> body =
        FeatureBody(order, kFeatureBuildId, entries);
    std::vector<std::string> found;
    EXPECT_TRUE(
        ForEachBuildId(FeatureRecord(order, body), [&](const BuildIdEntry& e) {
          found.push_back(
              absl::StrCat(e.pid, " ", e.build_id.Hex(), " ", e.filename));
        }));
    EXPECT_EQ(found, (std::vector<std::string>{
                         "-1 000102030405060708090a0b0c0d0e0f /lib/a.so",
                         "7 000102030405060708090a0b0c0d0e0f10111213 abc"}));
  }
}

}  // namespace
}  // namespace perf2x
