// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/dataset_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perf2x {
namespace {

using ::testing::HasSubstr;

std::string PathOf(absl::string_view list, const TraceInfo& info) {
  const auto path = DatasetPath::Parse(list);
  return path.ok() ? path->FileOf("samples", info)
                   : std::string(path.status().message());
}

TraceInfo Recording() {
  TraceInfo info;
  info.hostname = "web1";
  info.recorded_at = 1'700'000'000'000'000'000;
  info.recording_id = "12ab";
  return info;
}

TEST(DatasetPathTest, HasAFolderForEachPartition) {
  EXPECT_EQ(PathOf("host,date", Recording()),
            "samples/host=web1/date=2023-11-14/12ab.parquet");
  EXPECT_EQ(PathOf("date,service=front end", Recording()),
            "samples/date=2023-11-14/service=front%20end/12ab.parquet");
  EXPECT_EQ(PathOf("", Recording()), "samples/12ab.parquet");
}

TEST(DatasetPathTest, WhatIsNotKnownHasHivesName) {
  TraceInfo info;
  info.recording_id = "12ab";
  EXPECT_EQ(PathOf("host,date", info),
            "samples/host=__HIVE_DEFAULT_PARTITION__/"
            "date=__HIVE_DEFAULT_PARTITION__/12ab.parquet");
}

TEST(DatasetPathTest, AHostCannotLeadOutOfTheFolder) {
  TraceInfo info = Recording();
  info.hostname = "../../etc/\n";
  EXPECT_EQ(PathOf("host", info),
            "samples/host=..%2F..%2Fetc%2F%0A/12ab.parquet");
  info.hostname = std::string(1000, '/');
  EXPECT_LT(PathOf("host", info).size(), 255u);
}

TEST(DatasetPathTest, LongHostsStayApart) {
  TraceInfo info = Recording();
  const std::string longest(64, 'h');
  info.hostname = longest;
  EXPECT_EQ(PathOf("host", info), "samples/host=" + longest + "/12ab.parquet");
  info.hostname = longest + "1";
  const std::string one = PathOf("host", info);
  EXPECT_EQ(one, PathOf("host", info));
  EXPECT_EQ(one.size(), PathOf("host", Recording()).size() - 4 + 64);
  info.hostname = longest + "2";
  EXPECT_NE(PathOf("host", info), one);
}

TEST(DatasetPathTest, NoFolderHasTheNameOfAColumn) {
  const auto path = DatasetPath::Parse("host,Function=1");
  ASSERT_TRUE(path.ok());
  EXPECT_TRUE(path->CheckColumn("functions").ok());
  EXPECT_THAT(path->CheckColumn("function").message(),
              HasSubstr("another name than Function"));
}

TEST(DatasetPathTest, ATimeBefore1970HasADate) {
  TraceInfo info = Recording();
  info.recorded_at = -1;
  EXPECT_EQ(PathOf("date", info), "samples/date=1969-12-31/12ab.parquet");
}

TEST(DatasetPathTest, WrongListsAreErrors) {
  EXPECT_THAT(PathOf("day", {}), HasSubstr("not \"day\""));
  EXPECT_THAT(PathOf("a/b=1", {}), HasSubstr("not \"a/b=1\""));
  EXPECT_THAT(PathOf("a=", {}), HasSubstr("not \"a=\""));
  EXPECT_THAT(PathOf("a=" + std::string(65, 'x'), {}),
              HasSubstr("more than 64 bytes"));
  EXPECT_THAT(PathOf("host,host", {}), HasSubstr("host twice"));
  EXPECT_THAT(PathOf("X=1,x=1", {}), HasSubstr("X twice"));
}

}  // namespace
}  // namespace perf2x
