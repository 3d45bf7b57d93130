// SPDX-License-Identifier: Apache-2.0
#include "converter/model/symbolized_frames.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perf2x {
namespace {

TEST(SymbolizedFramesTest, NeighboursShareLines) {
  SymbolizedFrames names;
  std::vector<Line> lines;
  const Symbol f{"f()", "_Z1fv", "f.cc", 3, 1};
  Symbol further = f;
  further.line = 4;
  const LineRange first = names.Add({&f, 1}, &lines);
  const LineRange same = names.Add({&f, 1}, &lines);
  const LineRange other = names.Add({&further, 1}, &lines);
  EXPECT_EQ(first.first, same.first);
  EXPECT_NE(first.first, other.first);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0], (Line{0, 3}));
  EXPECT_EQ(lines[1], (Line{0, 4}));
  EXPECT_EQ(names.frame_count(), 3);
  ASSERT_EQ(names.functions().size(), 1);
  const Function& function = names.functions()[0];
  EXPECT_EQ(names.strings()[function.name], "f()");
  EXPECT_EQ(names.strings()[function.system_name], "_Z1fv");
  EXPECT_EQ(names.strings()[function.file], "f.cc");
  EXPECT_EQ(function.start_line, 1);
}

TEST(SymbolizedFramesTest, InlinedFunctionsComeAgain) {
  SymbolizedFrames names;
  std::vector<Line> lines;
  const Symbol f{"f", "f", "", 0, 0}, g{"g", "g", "", 0, 0},
      inlined{"i", "i", "", 0, 0};
  const Symbol in_f[] = {inlined, f}, in_g[] = {inlined, g};
  names.Add(in_f, &lines);
  const LineRange range = names.Add(in_g, &lines);
  EXPECT_EQ(range.count, 2);
  EXPECT_EQ(lines[range.first].function, 0);
  EXPECT_EQ(lines[range.first + 1].function, 2);
  EXPECT_EQ(names.functions().size(), 3);
}

// The end of a string may be a string of its own.
TEST(SymbolizedFramesTest, StringsAtOnePlaceDifferBySize) {
  SymbolizedFrames names;
  std::vector<Line> lines;
  const std::string text = "name of f";
  const absl::string_view view = text;
  const Symbol whole{view, view, "", 0, 0};
  const Symbol part{view.substr(0, 4), view.substr(0, 4), "", 0, 0};
  names.Add({&whole, 1}, &lines);
  names.Add({&part, 1}, &lines);
  ASSERT_EQ(names.functions().size(), 2);
  EXPECT_EQ(names.strings()[names.functions()[1].name], "name");
}

TEST(SymbolizedFramesTest, NothingForNoSymbols) {
  SymbolizedFrames names;
  std::vector<Line> lines;
  EXPECT_EQ(names.Add({}, &lines).count, 0);
  EXPECT_EQ(names.frame_count(), 0);
}

}  // namespace
}  // namespace perf2x
