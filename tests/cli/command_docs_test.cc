// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/command_docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

using testing::HasSubstr;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  return lines;
}

TEST(CommandDocsTest, HelpNamesEachFormat) {
  const std::string help = FormatsHelp(Emitters());
  for (const EmitterInfo& e : Emitters()) {
    EXPECT_THAT(help, HasSubstr(absl::StrCat(e.name, " (", e.extension, ")")));
  }
}

TEST(CommandDocsTest, TenFormatsNeedFewLines) {
  constexpr const char* kNames[][2] = {
      {"pprof", ".pb.gz"},      {"chrome", ".json"},
      {"csv", ".csv"},          {"folded", ".folded"},
      {"html", ".html"},        {"firefox", ".firefox.json"},
      {"perfetto", ".pftrace"}, {"speedscope", ".speedscope.json"},
      {"columns", ".parquet"},  {"branches", ".preaggregated"},
  };
  std::vector<EmitterInfo> formats(std::size(kNames));
  for (size_t i = 0; i < formats.size(); ++i) {
    formats[i].name = kNames[i][0];
    formats[i].extension = kNames[i][1];
    formats[i].summary = "what is left to the command `perf2x formats`";
    formats[i].is_text = i == 2 || i == 3 || i == 9;
  }
  const std::vector<std::string> lines = LinesOf(FormatsHelp(formats));
  EXPECT_LE(lines.size(), 7u);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80u) << line;
}

TEST(CommandDocsTest, FormatsOfLinesGoToStandardOutput) {
  std::vector<EmitterInfo> formats(3);
  formats[0].name = "binary";
  EXPECT_THAT(DefaultOutputHelp({formats.data(), 1}),
              HasSubstr("Without -o, outputs go to a file named after"));
  formats[1].name = "tables";
  formats[1].is_text = true;
  formats[1].one_file_option = "table";
  formats[1].file_names =
      [](const auto&) -> absl::StatusOr<std::vector<std::string>> {
    return std::vector<std::string>();
  };
  formats[2].name = "text";
  formats[2].is_text = true;
  EXPECT_THAT(DefaultOutputHelp(formats),
              HasSubstr("Without -o, tables --table and text go to standard "
                        "output; all else goes to a file"));
}

}  // namespace
}  // namespace perf2x
