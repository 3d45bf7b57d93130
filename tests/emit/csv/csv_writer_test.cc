// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_writer.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/string_view.h"
#include "converter/base/output.h"

namespace perf2x {
namespace {

TEST(CsvWriterTest, QuotesOnlyWhereNeeded) {
  std::string out;
  const std::string columns[] = {"a", "b,c", "d", "e", "f"};
  CsvWriter csv(MakeStringOutput(&out));
  for (const std::string& column : columns) csv.Text(column);
  csv.EndHeader();
  csv.Text("x y");
  csv.Text("say \"hi\"");
  csv.Text("two, three");
  csv.Empty();
  csv.Hex(255);
  ASSERT_TRUE(csv.EndRow().ok());
  ASSERT_TRUE(csv.Close().ok());
  EXPECT_EQ(out,
            "a,\"b,c\",d,e,f\r\n"
            "x y,\"say \"\"hi\"\"\",\"two, three\",,0xff\r\n");
}

TEST(CsvWriterTest, IsAlwaysUtf8WithoutControlCharacters) {
  std::string out;
  const std::string columns[] = {"a", "b"};
  CsvWriter csv(MakeStringOutput(&out));
  for (const std::string& column : columns) csv.Text(column);
  csv.EndHeader();
  csv.Text(
      "\xff"
      "ok");
  csv.Text(absl::string_view("a\0b\x1b\n", 5));
  ASSERT_TRUE(csv.EndRow().ok());
  ASSERT_TRUE(csv.Close().ok());
  EXPECT_EQ(out, "a,b\r\n\xef\xbf\xbdok,a\\x00b\\x1b\\x0a\r\n");
}

// A spreadsheet runs what begins so.
TEST(CsvWriterTest, QuotesWhatASpreadsheetTakesForAFormula) {
  std::string out;
  const std::string columns[] = {"a", "b", "c", "d", "e"};
  CsvWriter csv(MakeStringOutput(&out));
  for (const std::string& column : columns) csv.Text(column);
  csv.EndHeader();
  csv.Text("=cmd|' /C calc'!A0");
  csv.Text("@SUM(1,2)");
  csv.Text("+1");
  csv.Text("-1");
  csv.Text("a=b");
  ASSERT_TRUE(csv.EndRow().ok());
  ASSERT_TRUE(csv.Close().ok());
  EXPECT_EQ(out,
            "a,b,c,d,e\r\n'=cmd|' /C calc'!A0,\"'@SUM(1,2)\",'+1,'-1,a=b\r\n");
}

TEST(CsvWriterTest, NumbersKeepTheirSignAndSize) {
  std::string out;
  const std::string columns[] = {"a", "b", "c", "d", "e", "f"};
  CsvWriter csv(MakeStringOutput(&out));
  for (const std::string& column : columns) csv.Text(column);
  csv.EndHeader();
  csv.Signed(-5);
  csv.Number(~uint64_t{0});
  csv.Share(1.0 / 3);
  csv.Empty();
  csv.Real(-1.5);
  csv.Real(-1e300 * 1e300);
  ASSERT_TRUE(csv.EndRow().ok());
  ASSERT_TRUE(csv.Close().ok());
  EXPECT_EQ(out, "a,b,c,d,e,f\r\n-5,18446744073709551615,0.333333,,-1.5,\r\n");
}

TEST(CsvWriterTest, FieldsAreAJsonObject) {
  std::string out;
  const std::string columns[] = {"a", "b"};
  CsvWriter csv(MakeStringOutput(&out));
  for (const std::string& column : columns) csv.Text(column);
  csv.EndHeader();
  const std::vector<Field> fields = {{"comm", absl::string_view("a\"b")},
                                     {"prio", int64_t{-1}},
                                     {"addr", Field::Hex{16}}};
  csv.Json(fields);
  csv.Json({});
  ASSERT_TRUE(csv.EndRow().ok());
  ASSERT_TRUE(csv.Close().ok());
  EXPECT_EQ(out,
            "a,b\r\n"
            "\"{\"\"comm\"\":\"\"a\\\"\"b\"\",\"\"prio\"\":-1,"
            "\"\"addr\"\":\"\"0x10\"\"}\",\r\n");
}

}  // namespace
}  // namespace perf2x
