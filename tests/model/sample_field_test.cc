// SPDX-License-Identifier: Apache-2.0
#include "converter/model/sample_field.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/model/model.h"

namespace perf2x {
namespace {

using Kind = SampleField::Kind;

TEST(SampleFieldTest, NamesAreDistinctAndFound) {
  std::set<std::string> names;
  for (const SampleField& field : SampleFieldTable()) {
    EXPECT_TRUE(names.emplace(field.name).second) << field.name;
    EXPECT_EQ(FindSampleField(field.name), &field);
    EXPECT_NE(std::string(field.help), "") << field.name;
    EXPECT_TRUE(field.kind == Kind::kNumber || *field.unit == '\0')
        << field.name;
  }
  EXPECT_EQ(FindSampleField("ip"), nullptr);
}

TEST(SampleFieldTest, LabelsAreValuesThatSamplesShare) {
  EXPECT_TRUE(FindSampleField("weight")->is_label());
  EXPECT_TRUE(FindSampleField("data_src")->is_label());
  EXPECT_FALSE(FindSampleField("branch_stack")->is_label());
  EXPECT_FALSE(FindSampleField("id")->is_label());
}

std::string Row(std::initializer_list<absl::string_view> cells) {
  std::string row = "|";
  for (absl::string_view cell : cells) {
    absl::StrAppend(&row, cell.empty() ? "" : " ", cell, " |");
  }
  return row;
}

// The rows of the table under `heading` that begin with a field's name.
std::string RowsIn(const std::string& page, const std::string& heading) {
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  const size_t begin = text.str().find(absl::StrCat("\n", heading, "\n"));
  if (begin == std::string::npos) return page + " lacks " + heading;
  const size_t end = text.str().find("\n## ", begin + 1);
  std::string rows;
  for (absl::string_view line :
       absl::StrSplit(text.str().substr(begin, end - begin), '\n')) {
    const std::pair<absl::string_view, absl::string_view> name =
        absl::StrSplit(line, absl::MaxSplits("` |", 1));
    if (line.substr(0, 3) == "| `" &&
        FindSampleField(name.first.substr(3)) != nullptr) {
      absl::StrAppend(&rows, line, "\n");
    }
  }
  return rows;
}

std::string OptionOf(const SampleField& field) {
  return *field.option == '\0' ? "" : absl::StrCat("`", field.option, "`");
}

TEST(SampleFieldTest, CsvPageHasTheTablesRows) {
  std::string expected;
  for (const SampleField& field : SampleFieldTable()) {
    std::string type = "text";
    if (field.kind == Kind::kAddress) type = "address";
    if (field.kind == Kind::kHex) type = "bit mask";
    if (field.kind == Kind::kNumber) {
      const std::string unit = field.unit;
      type = unit.empty() || unit == "count" ? "integer" : "integer, " + unit;
    }
    const std::string option = OptionOf(field);
    absl::StrAppend(
        &expected,
        Row({absl::StrCat("`", field.name, "`"), type,
             absl::StrCat(field.help,
                          option.empty() ? "" : " (" + option + ")")}),
        "\n");
  }
  EXPECT_EQ(RowsIn("docs/csv.md", "## `samples.csv`"), expected);
}

TEST(SampleFieldTest, PprofPageHasTheTablesLabels) {
  std::string expected;
  for (const SampleField& field : SampleFieldTable()) {
    if (!field.is_label()) continue;
    std::string kind = "text";
    if (field.kind == Kind::kHex || field.kind == Kind::kAddress) {
      kind = "text, hexadecimal";
    }
    if (field.kind == Kind::kNumber) kind = "number";
    absl::StrAppend(
        &expected,
        Row({absl::StrCat("`", field.name, "`"), kind,
             *field.unit == '\0' ? "" : absl::StrCat("`", field.unit, "`"),
             absl::StrCat(OptionOf(field), field.is_tag ? "" : "; ",
                          field.help)}),
        "\n");
  }
  EXPECT_EQ(RowsIn("docs/pprof.md", "## Labels"), expected);
}

TEST(SampleFieldTest, ChromePageHasTheTablesArgs) {
  std::string expected;
  for (const SampleField& field : SampleFieldTable()) {
    if (field.is_event_id || field.is_tag) continue;
    absl::StrAppend(&expected,
                    Row({absl::StrCat("`", field.name, "`"),
                         field.is_measurement ? "yes" : "", field.help}),
                    "\n");
  }
  EXPECT_EQ(RowsIn("docs/chrome.md", "## Args of instants"), expected);
}

TEST(TracepointNameTest, IsWhatLiesBetweenColons) {
  const TracepointName expected = {"sched", "sched_switch"};
  EXPECT_EQ(ParseTracepointName("sched:sched_switch"), expected);
  EXPECT_EQ(ParseTracepointName("sched:sched_switch:u"), expected);
  EXPECT_EQ(ParseTracepointName("mine"), TracepointName());
}

}  // namespace
}  // namespace perf2x
