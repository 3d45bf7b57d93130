// SPDX-License-Identifier: Apache-2.0
#include "converter/base/output_compression.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

TEST(OutputCompressionTest, FollowsFromTheName) {
  EXPECT_EQ(OutputCompressionOf("a.csv"), OutputCompression::kNone);
  EXPECT_EQ(OutputCompressionOf("a.csv.gz"), OutputCompression::kGzip);
  EXPECT_EQ(OutputCompressionOf("a.csv.zst"), OutputCompression::kZstd);
  absl::string_view path = "a.json.zst";
  ConsumeCompressionSuffix(&path);
  EXPECT_EQ(path, "a.json");
  ConsumeCompressionSuffix(&path);
  EXPECT_EQ(path, "a.json");
}

TEST(OutputCompressionTest, OutputsBeginLikeTheirKind) {
  const auto head_of = [](OutputCompression compression) {
    std::string bytes;
    auto output = MakeCompressedOutput(compression, MakeStringOutput(&bytes));
    EXPECT_TRUE(output->Write("text").ok());
    EXPECT_TRUE(output->Close().ok());
    return bytes.substr(0, 4);
  };
  EXPECT_EQ(head_of(OutputCompression::kNone), "text");
  EXPECT_EQ(head_of(OutputCompression::kGzip).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(head_of(OutputCompression::kZstd), "\x28\xb5\x2f\xfd");
}

}  // namespace
}  // namespace perf2x
