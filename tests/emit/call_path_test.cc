// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/call_path.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "tests/support/frame_places.h"

namespace perf2x {
namespace {

// Stacks of one function, which has a long name.
class CallPathTest : public ::testing::Test,
                     public FrameSource,
                     public Symbolizer {
 protected:
  CallPathTest() : tables_(this) {
    tables_.set_frame_source(this);
    Dso file;
    file.kind = DsoKind::kFile;
    file.name = "/opt/app";
    const DsoId app = tables_.AddDso(file);
    const MappingId mapping = tables_.AddMapping({app, 0x1000, 0x9000, 0});
    frame_ = InternFrame(app, mapping, 0x100, tables_);
  }

  StackId AddStack(size_t depth) {
    depths_.push_back(depth);
    const std::string bytes = std::to_string(depths_.size());
    const absl::Span<const uint8_t> chain(
        reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    return tables_.stacks.Intern(StackTable::HashOf(0, chain), 0, chain, false);
  }
  void AppendPlaces(StackId stack, std::vector<FramePlace>* places) override {
    AppendPlacesOf(std::vector<FrameId>(depths_[stack], frame_), tables_,
                   places);
  }
  void Resolve(const Dso&, absl::Span<const uint64_t> addresses,
               Found found) override {
    Symbol symbol;
    symbol.name = symbol.system_name = name_;
    for (size_t i = 0; i < addresses.size(); ++i) found(i, {&symbol, 1});
  }

  std::string name_ = "f";
  TraceTables tables_;
  StackFunctions functions_{tables_, Budget::Unlimited(), nullptr};
  FrameId frame_ = 0;
  std::vector<size_t> depths_;  // by stack
};

TEST_F(CallPathTest, MemoryOfRecentPathsIsBounded) {
  constexpr StackId kSlots = 1 << 12;
  for (StackId i = 0; i < kSlots; ++i) ASSERT_EQ(AddStack(2000), i);
  for (StackId i = 0; i < kSlots; ++i) AddStack(1);
  CallPaths paths(tables_, functions_);
  EXPECT_EQ(paths.PathOf(0).size(), 2000u);
  // Does not change with a sanitizer, which brings its own allocator.
  const size_t before = mallinfo2().uordblks;
  for (StackId i = 0; i < kSlots; ++i) {
    paths.PathOf(i);
    paths.PathOf(kSlots + i);  // in the same slot
  }
  EXPECT_LT(mallinfo2().uordblks - before, 40u << 20);
}

TEST_F(CallPathTest, TheInnermostNamesOfAVeryLongTextAreKept) {
  name_ = std::string(1 << 20, 'x');
  CallPaths paths(tables_, functions_);
  std::string text = "thread;";
  paths.AppendFolded(paths.PathOf(AddStack(3)), &text);
  EXPECT_EQ(text, "thread;" + name_ + ";" + name_ + ";" + name_);
  Diagnostics diagnostics;
  paths.Report(&diagnostics);
  EXPECT_TRUE(diagnostics.entries().empty());
  text = "thread;";
  paths.AppendFolded(paths.PathOf(AddStack(1000)), &text);
  EXPECT_EQ(text, "thread;" + name_ + ";" + name_ + ";" + name_);
  paths.Report(&diagnostics);
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(diagnostics.entries().begin()->second.count, 1u);
}

}  // namespace
}  // namespace perf2x
