// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_writer.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "converter/base/output.h"

namespace perf2x {
namespace {

// Returns the text of one row, to which `add` adds at most 6 cells.
std::string RowOf(const std::function<void(CsvRow&)>& add) {
  std::string out;
  CsvWriter csv(MakeStringOutput(&out));
  CsvRow row = csv.NewRow(6);
  add(row);
  EXPECT_TRUE(csv.EndRow(row).ok());
  EXPECT_TRUE(csv.Close().ok());
  return out;
}

TEST(CsvWriterTest, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(RowOf([](CsvRow& row) {
              row.Text("x y");
              row.Text("say \"hi\"");
              row.Text("two, three");
              row.Empty(1);
              row.Hex(255);
            }),
            "x y,\"say \"\"hi\"\"\",\"two, three\",,0xff\r\n");
}

TEST(CsvWriterTest, IsAlwaysUtf8WithoutControlCharacters) {
  EXPECT_EQ(RowOf([](CsvRow& row) {
              row.Text(
                  "\xff"
                  "ok");
              row.Text(absl::string_view("a\0b\x1b\n", 5));
            }),
            "\xef\xbf\xbdok,a\\x00b\\x1b\\x0a\r\n");
}

// A spreadsheet runs what begins so.
TEST(CsvWriterTest, QuotesWhatASpreadsheetTakesForAFormula) {
  EXPECT_EQ(RowOf([](CsvRow& row) {
              row.Text("=cmd|' /C calc'!A0");
              row.Text("@SUM(1,2)");
              row.Text("+1");
              row.Text("-1");
              row.Text("a=b");
            }),
            "'=cmd|' /C calc'!A0,\"'@SUM(1,2)\",'+1,'-1,a=b\r\n");
}

TEST(CsvWriterTest, NumbersKeepTheirSignAndSize) {
  EXPECT_EQ(RowOf([](CsvRow& row) {
              row.Signed(-5);
              row.Number(~uint64_t{0});
              row.Share(1.0 / 3);
              row.Hex(~uint64_t{0});
              row.Real(-1.5);
              row.Real(-1e300 * 1e300);
            }),
            "-5,18446744073709551615,0.333333,0xffffffffffffffff,-1.5,\r\n");
}

TEST(CsvWriterTest, RealNumbersHaveAllTheirDigits) {
  const std::string text = RowOf([](CsvRow& row) {
    row.Real(5e-324);
    row.Real(-1.7976931348623157e308);
  });
  EXPECT_EQ(text.substr(0, 4), "0.00");
  EXPECT_EQ(text.substr(324, 3), "05,");
  EXPECT_EQ(text.substr(327, 5), "-1797");
  EXPECT_EQ(text.size(), 327u + 310 + 2);
  EXPECT_EQ(
      RowOf([](CsvRow& row) {
        for (const double value : {0.0, -0.0, 100.0, 0.1, -0.00012, 1.0 / 3,
                                   12345.678, 1e6, 9007199254740993.0, 2e22}) {
          row.Real(value);
        }
      }),
      "0,-0,100,0.1,-0.00012,0.3333333333333333,12345.678,1000000,"
      "9007199254740992,20000000000000000000000\r\n");
}

TEST(CsvWriterTest, EmptyCellsAreBetweenCommas) {
  EXPECT_EQ(RowOf([](CsvRow& row) {
              row.Empty(2);
              row.Number(1);
              row.Empty(3);
            }),
            ",,1,,,\r\n");
  EXPECT_EQ(RowOf([](CsvRow& row) { row.Empty(1); }), "\r\n");
  EXPECT_EQ(RowOf([](CsvRow& row) { row.Text(""); }), "\r\n");
}

// Rows are buffered until their text is large, not their cells.
TEST(CsvWriterTest, RowsThatReferToLongTextsAreWrittenSoon) {
  const std::string text(100'000, 'x');
  std::string out;
  CsvWriter csv(MakeStringOutput(&out));
  for (int i = 0; i < 100; ++i) {
    CsvRow row = csv.NewRow(1);
    row.Csv(text);
    ASSERT_TRUE(csv.EndRow(row).ok());
  }
  EXPECT_GT(out.size(), 100 * text.size() - (4 << 20));
  ASSERT_TRUE(csv.Close().ok());
  EXPECT_EQ(out.size(), 100 * (text.size() + 2));
}

// A row grows while texts are copied into it.
TEST(CsvWriterTest, TextsOfAnySizeAreCopied) {
  const std::string text(300'000, 'x');
  EXPECT_EQ(RowOf([&](CsvRow& row) {
              row.Number(1);
              row.Text(text);
              row.Text("");
              row.Text(std::string(text));
              row.Number(2);
            }),
            "1," + text + ",," + text + ",2\r\n");
}

}  // namespace
}  // namespace perf2x
