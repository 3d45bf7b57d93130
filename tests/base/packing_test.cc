// SPDX-License-Identifier: Apache-2.0
#include "converter/base/packing.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

TEST(PackingTest, FollowsFromTheName) {
  EXPECT_EQ(PackingOf("a.csv"), Packing::kNone);
  EXPECT_EQ(PackingOf("a.csv.gz"), Packing::kGzip);
  EXPECT_EQ(PackingOf("a.csv.zst"), Packing::kZstd);
  absl::string_view path = "a.json.zst";
  ConsumePackingSuffix(&path);
  EXPECT_EQ(path, "a.json");
  ConsumePackingSuffix(&path);
  EXPECT_EQ(path, "a.json");
}

TEST(PackingTest, OutputsBeginLikeTheirKind) {
  const auto head_of = [](Packing packing) {
    std::string bytes;
    auto output = MakePackedOutput(packing, MakeStringOutput(&bytes), 0);
    EXPECT_TRUE(output->Write("text").ok());
    EXPECT_TRUE(output->Close().ok());
    return bytes.substr(0, 4);
  };
  EXPECT_EQ(head_of(Packing::kNone), "text");
  EXPECT_EQ(head_of(Packing::kGzip).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(head_of(Packing::kZstd), "\x28\xb5\x2f\xfd");
}

}  // namespace
}  // namespace perf2x
