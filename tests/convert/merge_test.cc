// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/merge.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace perf2x {
namespace {

TraceSummary Between(std::optional<uint64_t> first,
                     std::optional<uint64_t> last) {
  TraceSummary summary;
  summary.first_time = first;
  summary.last_time = last;
  return summary;
}

TEST(AddToSummaryTest, DurationsAddUp) {
  TraceSummary all;
  AddToSummary("a", Between(std::nullopt, std::nullopt), &all);
  EXPECT_EQ(all.last_time, std::nullopt);
  AddToSummary("b", Between(10, 15), &all);
  AddToSummary("c", Between(100, 107), &all);
  EXPECT_EQ(all.first_time, 10u);
  EXPECT_EQ(all.last_time, 22u);
}

TEST(AddToSummaryTest, ATimeWithoutAnEndHasNoDuration) {
  TraceSummary all;
  AddToSummary("a", Between(10, std::nullopt), &all);
  AddToSummary("b", Between(100, 107), &all);
  EXPECT_EQ(all.first_time, 10u);
  EXPECT_EQ(all.last_time, 17u);
}

}  // namespace
}  // namespace perf2x
