// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/filter_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr uint64_t kEnd = UINT64_MAX;

TEST(FilterOptionsTest, ListsAreSplitAtCommasThatAreNotAnEventsOwn) {
  FilterOptions options;
  ASSERT_TRUE(AddToFilter(FilterKey::kEvent,
                          "cpu/event=0x3c,umask=0x0/u,{a,b},sched:*", &options)
                  .ok());
  EXPECT_THAT(options.list(FilterKey::kEvent),
              ElementsAre("cpu/event=0x3c,umask=0x0/u", "{a,b}", "sched:*"));
  ASSERT_TRUE(AddToFilter(FilterKey::kComm, "make,late worker", &options).ok());
  ASSERT_TRUE(AddToFilter(FilterKey::kComm, "cc1", &options).ok());
  EXPECT_THAT(options.list(FilterKey::kComm),
              ElementsAre("make", "late worker", "cc1"));
}

TEST(FilterOptionsTest, AListMayBeInAFile) {
  const TempFolder folder;
  const std::string path = folder.File("list");
  std::ofstream(path) << "# functions\nf<int, long>\n\ng\n";
  FilterOptions options;
  ASSERT_TRUE(
      AddToFilter(FilterKey::kSymbol, "file://" + path + ",h", &options).ok());
  EXPECT_THAT(options.list(FilterKey::kSymbol),
              ElementsAre("f<int, long>", "g", "h"));
  ASSERT_TRUE(
      AddToFilter(FilterKey::kEvent, "file://" + path + ",cycles", &options)
          .ok());
  EXPECT_THAT(options.list(FilterKey::kEvent),
              ElementsAre("f<int, long>", "g", "cycles"));
  EXPECT_THAT(AddToFilter(FilterKey::kSymbol, "file:///nonexistent", &options)
                  .message(),
              HasSubstr("/nonexistent"));
}

TEST(FilterOptionsTest, AListThatIsNoFileIsRefused) {
  FilterOptions options;
  EXPECT_THAT(
      AddToFilter(FilterKey::kComm, "file:///dev/zero", &options).message(),
      HasSubstr("/dev/zero is larger than a list"));
  EXPECT_THAT(AddToFilter(FilterKey::kComm, "file:///tmp", &options).message(),
              HasSubstr("cannot read /tmp"));
}

TEST(FilterOptionsTest, NumbersAreNumbers) {
  FilterOptions options;
  EXPECT_TRUE(AddToFilter(FilterKey::kPid, "1,-1", &options).ok());
  EXPECT_TRUE(AddToFilter(FilterKey::kCpu, "0,2-3", &options).ok());
  EXPECT_FALSE(AddToFilter(FilterKey::kTid, "1,x", &options).ok());
  EXPECT_FALSE(AddToFilter(FilterKey::kTid, "1-2", &options).ok());
  EXPECT_FALSE(AddToFilter(FilterKey::kCpu, "3-2", &options).ok());
  EXPECT_FALSE(AddToFilter(FilterKey::kCpu, "-2", &options).ok());
  EXPECT_FALSE(AddToFilter(FilterKey::kCpu, "", &options).ok());
}

TEST(FilterOptionsTest, TimesAreSeconds) {
  EXPECT_THAT(ParseTimeFilter("1.5,2")->spans,
              ElementsAre(Pair(1'500'000'000, 2'000'000'000)));
  EXPECT_THAT(ParseTimeFilter("1,")->spans,
              ElementsAre(Pair(1'000'000'000, kEnd)));
  EXPECT_THAT(ParseTimeFilter("1")->spans,
              ElementsAre(Pair(1'000'000'000, kEnd)));
  EXPECT_THAT(ParseTimeFilter(",0.000000001")->spans, ElementsAre(Pair(0, 1)));
  EXPECT_THAT(ParseTimeFilter("1,2 3,4")->spans,
              ElementsAre(Pair(1'000'000'000, 2'000'000'000),
                          Pair(3'000'000'000, 4'000'000'000)));
  for (const char* wrong :
       {"", ",", "2,1", "1.", "1.0000000001,", "x,1", "1,2,3", "-1,2",
        "99999999999999999999,", "18446744074,"}) {
    EXPECT_FALSE(ParseTimeFilter(wrong).ok()) << wrong;
  }
}

TEST(FilterOptionsTest, SharesAreOfTheTimeBetweenFirstAndLastSample) {
  const auto spans = [](const char* text) {
    return SpansOf(*ParseTimeFilter(text), 1000, 2000);
  };
  EXPECT_THAT(spans("10%/2"), ElementsAre(Pair(1100, 1199)));
  EXPECT_THAT(spans("10%/10"), ElementsAre(Pair(1900, 2000)));
  EXPECT_THAT(spans("0%-10%,30%-40%"),
              ElementsAre(Pair(1000, 1099), Pair(1300, 1399)));
  EXPECT_THAT(spans("25%"), ElementsAre(Pair(1000, 1249)));
  EXPECT_THAT(spans("100%"), ElementsAre(Pair(1000, 2000)));
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(SpansOf(*ParseTimeFilter("0%-100%"), 0, kMax),
              ElementsAre(Pair(0, kMax)));
  for (const char* wrong : {"%", "10%/0", "10%/11", "10%/x", "20%-10%", "10%-",
                            "-10%", "101%", "nan%", "10%/2,5"}) {
    EXPECT_FALSE(ParseTimeFilter(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace perf2x
