// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/split_units.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/symbolize/dwarf/debug_bytes.h"

namespace perf2x {
namespace {

class SplitUnitsTest : public testing::Test {
 protected:
  // The .dwo has this .debug_info.
  explicit SplitUnitsTest(const std::string& info = UnitOf("")) {
    dwo_ = OpenElf(TestElf(*MachineOf("x86_64", 2),
                           {{".debug_info.dwo", 0x1000, info},
                            {".debug_abbrev.dwo", 0x10000, "\0"}}));
    DwarfCompanions companions;
    companions.open_dwo = [this](absl::string_view, absl::string_view) {
      ++opened_;
      return dwo_;
    };
    units_ = std::make_unique<SplitUnits>(debug_.File(std::move(companions)));
  }
  bool Find(uint64_t dwo_id, absl::string_view name, absl::string_view dir) {
    DwarfUnit skeleton, unit;
    skeleton.sections = skeleton.main = &debug_.sections();
    skeleton.dwo_id = dwo_id;
    skeleton.dwo_name = name;
    skeleton.comp_dir = dir;
    return units_->Find(skeleton, &tables_, &unit) != nullptr;
  }
  uint64_t dwo_work() const {
    return dwo_->file()->budget().used(Budget::kWork);
  }

  DebugBytes debug_;
  std::shared_ptr<const ElfFile> dwo_;
  AbbrevTables tables_;
  std::unique_ptr<SplitUnits> units_;
  int opened_ = 0;
};

TEST_F(SplitUnitsTest, AFileIsOpenedOnceForAName) {
  for (uint64_t id = 1; id <= 3; ++id) EXPECT_FALSE(Find(id, "a.dwo", "/d"));
  EXPECT_EQ(opened_, 1);
  EXPECT_FALSE(Find(4, "a.dwo", "/e"));
  EXPECT_EQ(opened_, 2);
  EXPECT_EQ(units_->missing(), 4u);
}

// The sections are looked through at each opening.
TEST_F(SplitUnitsTest, SectionsOfAnOpenedFileAreWork) {
  Find(1, "a.dwo", "/d");
  const uint64_t first = debug_.work();
  Find(2, "a.dwo", "/d");
  const uint64_t known = debug_.work() - first;
  EXPECT_GE(first - known, 4 * dwo_->sections().size());
}

// Units of a version that is not known, which are all looked at for each
// skeleton.
class UnknownUnitsTest : public SplitUnitsTest {
 protected:
  static constexpr int kUnits = 500;
  UnknownUnitsTest() : SplitUnitsTest(Info()) {}
  static std::string Info() {
    Bytes info;
    for (int i = 0; i < kUnits; ++i) info.U32(2).U16(9);
    return info.str();
  }
};

TEST_F(UnknownUnitsTest, EachIsAStep) {
  EXPECT_FALSE(Find(1, "a.dwo", "/d"));
  EXPECT_FALSE(Find(2, "a.dwo", "/d"));
  EXPECT_GE(dwo_work(), 2u * kUnits);
  dwo_->file()->budget().Spend(Budget::kWork, 1 << 30);
  const uint64_t before = dwo_work();
  EXPECT_FALSE(Find(3, "a.dwo", "/d"));
  EXPECT_EQ(dwo_work(), before);
}

}  // namespace
}  // namespace perf2x
