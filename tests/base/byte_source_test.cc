// SPDX-License-Identifier: Apache-2.0
#include "converter/base/byte_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace perf2x {
namespace {

// Gives five bytes, two at a time at most, and then an error.
class DamagedSource final : public ByteSource {
 public:
  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) override {
    if (left_ == 0) return absl::DataLossError("damaged");
    const size_t n = std::min({left_, to.size(), size_t{2}});
    left_ -= n;
    std::fill_n(to.begin(), n, 'x');
    return n;
  }
  uint64_t CompressedSizeUpTo(uint64_t) override { return 5; }

 private:
  size_t left_ = 5;
};

TEST(ReadFullyTest, GivesWhatCameBeforeAnError) {
  DamagedSource source;
  std::array<uint8_t, 16> bytes{};
  const auto read = ReadFully(source, absl::MakeSpan(bytes));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, 5u);
  EXPECT_EQ(ReadFully(source, absl::MakeSpan(bytes)).status().message(),
            "damaged");
}

}  // namespace
}  // namespace perf2x
