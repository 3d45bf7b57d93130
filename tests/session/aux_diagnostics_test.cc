// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_diagnostics.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

const Diagnostics::Entry& OnlyEntry(const Diagnostics& diagnostics) {
  EXPECT_EQ(diagnostics.entries().size(), 1u);
  return diagnostics.entries().begin()->second;
}

TEST(AuxDiagnosticsTest, RepeatedDataIsCountedByRecord) {
  Diagnostics all, part;
  CountRepeatedAuxData(/*offset=*/5, /*size=*/10, /*repeated=*/10, all);
  CountRepeatedAuxData(5, 10, 9, part);
  EXPECT_EQ(all.entries().begin()->first,
            "AUXTRACE record whose data came before");
  EXPECT_EQ(part.entries().begin()->first,
            "AUXTRACE record of whose data a part came before");
  EXPECT_EQ(OnlyEntry(all).count, 1u);
  EXPECT_EQ(OnlyEntry(part).bytes, 9u);
  EXPECT_EQ(OnlyEntry(part).first_offset, 5u);
}

TEST(AuxDiagnosticsTest, MissingDataIsCountedByByte) {
  Diagnostics diagnostics;
  CountMissingAuxData(/*offset=*/5, /*bytes=*/10, diagnostics);
  CountMissingAuxData(7, 1, diagnostics);
  EXPECT_EQ(OnlyEntry(diagnostics).count, 11u);
  EXPECT_EQ(OnlyEntry(diagnostics).first_offset, 5u);
}

TEST(AuxDiagnosticsTest, NoBytesAreNoDamage) {
  Diagnostics diagnostics;
  CountRepeatedAuxData(5, 0, 0, diagnostics);
  CountRepeatedAuxData(5, 10, 0, diagnostics);
  CountMissingAuxData(5, 0, diagnostics);
  EXPECT_TRUE(diagnostics.entries().empty());
}

}  // namespace
}  // namespace perf2x
