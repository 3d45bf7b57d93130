// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/record_options.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace perf2x {
namespace {

std::string OptionsOf(const std::string& command_line) {
  const std::vector<std::string> words = absl::StrSplit(command_line, ' ');
  return absl::StrJoin(RecordOptions(words), " ");
}

TEST(RecordOptionsTest, EndWhereTheProgramBegins) {
  EXPECT_EQ(OptionsOf("/usr/bin/perf record -g app -D --filter x"), "-g");
  EXPECT_EQ(OptionsOf("perf record -g -- -app -D"), "-g");
  EXPECT_EQ(OptionsOf("perf record app -g"), "");
  EXPECT_EQ(OptionsOf("perf sched record -a"), "-a");
}

TEST(RecordOptionsTest, TakeTheirValues) {
  EXPECT_EQ(OptionsOf("perf record -e cycles -F 99 app -e"), "-e cycles -F 99");
  EXPECT_EQ(OptionsOf("perf record -agF 99 app -e"), "-agF 99");
  EXPECT_EQ(OptionsOf("perf record -F99 app -e"), "-F99");
  EXPECT_EQ(OptionsOf("perf record --filter id==3 --delay=7 app -e"),
            "--filter id==3 --delay=7");
  EXPECT_EQ(OptionsOf("perf record --call-graph dwarf app"),
            "--call-graph dwarf");
}

TEST(RecordOptionsTest, OfOtherCommandLinesThereAreNone) {
  EXPECT_EQ(OptionsOf("perf stat -e cycles app"), "");
  EXPECT_EQ(OptionsOf("perf record"), "");
  EXPECT_EQ(OptionsOf("perf record -e"), "-e");
  EXPECT_TRUE(RecordOptions({}).empty());
}

}  // namespace
}  // namespace perf2x
