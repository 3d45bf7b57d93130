// SPDX-License-Identifier: Apache-2.0
#include "converter/base/diagnostics.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(DiagnosticsTest, CountsCasesAndKeepsTheFirstOffset) {
  Diagnostics d;
  d.Add(Diagnostics::Severity::kSkipped, "short record", 40, 8);
  d.Add(Diagnostics::Severity::kSkipped, "short record", 20, 16, 2);
  ASSERT_EQ(d.entries().size(), 1);
  const Diagnostics::Entry& e = d.entries().at("short record");
  EXPECT_EQ(e.count, 3u);
  EXPECT_EQ(e.bytes, 24u);
  EXPECT_EQ(e.first_offset, 40u);
}

TEST(DiagnosticsTest, NotesLoseNothing) {
  Diagnostics d;
  d.Add(Diagnostics::Severity::kNote, "symbols not verified");
  EXPECT_FALSE(d.lossy());
  d.Add(Diagnostics::Severity::kDamage, "file cut short");
  EXPECT_TRUE(d.lossy());
}

}  // namespace
}  // namespace perf2x
