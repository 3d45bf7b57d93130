// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/sample_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two events, two threads, a program and a module.
class SampleFilterTest : public testing::Test {
 protected:
  SampleFilterTest() {
    tables_.events.resize(2);
    tables_.events[0].name = "cycles:ppp";
    tables_.events[1].name = "sched:sched_switch";
    const StringId make = tables_.strings.Intern("make");
    const StringId cc = tables_.strings.Intern("cc1");
    tables_.threads = {{10, 10, make, make}, {10, 11, make, cc}};
    Dso program, module;
    program.kind = DsoKind::kFile;
    program.name = "/usr/bin/make";
    tables_.AddDso(program);
    module.kind = DsoKind::kKernelModule;
    module.name = "/lib/modules/6.1/snd-pcm.ko.xz";
    tables_.AddDso(module);
  }
  void Add(FilterKey key, const char* list) {
    ASSERT_TRUE(AddToFilter(key, list, &options_).ok());
  }
  // Of a sample of each event in each thread, which are wanted.
  std::string Wanted(SampleFilter& filter) {
    std::string out;
    for (uint32_t i = 0; i < 4; ++i) {
      SampleFilter::Candidate sample;
      sample.event = i / 2;
      sample.thread = i % 2;
      sample.cpu = static_cast<int32_t>(i);
      sample.time = 100 * i;
      sample.dso = i % 2;
      out += filter.Selects(sample) ? 'x' : '.';
    }
    return out;
  }
  std::string Wanted() {
    SampleFilter filter(options_, tables_);
    const std::string wanted = Wanted(filter);
    EXPECT_EQ(filter.Check().message(), "");
    return wanted;
  }

  TraceTables tables_;
  FilterOptions options_;
};

TEST_F(SampleFilterTest, EventsMayLackModifiersOrBePatterns) {
  Add(FilterKey::kEvent, "cycles");
  EXPECT_EQ(Wanted(), "xx..");
  Add(FilterKey::kEvent, "sched:*");
  EXPECT_EQ(Wanted(), "xxxx");
}

TEST_F(SampleFilterTest, ThreadsByNumberAndName) {
  Add(FilterKey::kPid, "10");
  EXPECT_EQ(Wanted(), "xxxx");
  Add(FilterKey::kTid, "11");
  EXPECT_EQ(Wanted(), ".x.x");
  Add(FilterKey::kComm, "cc1");
  EXPECT_EQ(Wanted(), ".x.x");
}

TEST_F(SampleFilterTest, CpusByRange) {
  Add(FilterKey::kCpu, "0,2-9");
  EXPECT_EQ(Wanted(), "x.xx");
}

TEST_F(SampleFilterTest, FilesByPathNameAndAsModules) {
  Add(FilterKey::kDso, "make");
  EXPECT_EQ(Wanted(), "x.x.");
  Add(FilterKey::kDso, "[snd_pcm]");
  EXPECT_EQ(Wanted(), "xxxx");
}

TEST_F(SampleFilterTest, WithoutSymbolsAFileStandsForItsFunctions) {
  Add(FilterKey::kSymbol, "[make]");
  EXPECT_EQ(Wanted(), "x.x.");
}

TEST_F(SampleFilterTest, TimesIncludeBothEnds) {
  options_.time.spans = {{100, 200}};
  EXPECT_EQ(Wanted(), ".xx.");
}

TEST_F(SampleFilterTest, AllListsMustHaveASampleAndTheRestIsCounted) {
  Add(FilterKey::kComm, "make");
  Add(FilterKey::kEvent, "sched:sched_switch");
  SampleFilter filter(options_, tables_);
  EXPECT_EQ(Wanted(filter), "..x.");
  EXPECT_THAT(filter.filtered(), testing::ElementsAre(2, 1));
}

TEST_F(SampleFilterTest, WhatDoesNotOccurIsNamedWithWhatDoes) {
  Add(FilterKey::kEvent, "sched:sched_switch");
  Add(FilterKey::kComm, "cc1,ld");
  SampleFilter filter(options_, tables_);
  Wanted(filter);
  EXPECT_THAT(filter.Check().message(), HasSubstr("--comm \"ld\""));
  EXPECT_THAT(filter.Check().message(), HasSubstr("cc1 (2), make (2)"));
}

// A thread that is only there, without samples, is no misspelling.
TEST_F(SampleFilterTest, AThreadWithoutSamplesOccurs) {
  Add(FilterKey::kComm, "cc1");
  SampleFilter filter(options_, tables_);
  EXPECT_THAT(filter.Check().message(), Not(""));
  EXPECT_TRUE(filter.SelectsThread(1));
  EXPECT_EQ(filter.Check().message(), "");
}

TEST_F(SampleFilterTest, SamplesWithoutTimesAreNotWithinAny) {
  options_.time.spans = {{0, 200}};
  SampleFilter filter(options_, tables_);
  EXPECT_FALSE(filter.Selects({}));
  EXPECT_THAT(filter.Check().message(), HasSubstr("--time"));
}

TEST_F(SampleFilterTest, TheOrderOfEventsIsTheUsers) {
  Add(FilterKey::kEvent, "sched:*,cycles");
  const SampleFilter filter(options_, tables_);
  EXPECT_EQ(filter.RankOfEvent("cycles:ppp"), 2);
  EXPECT_EQ(filter.RankOfEvent("sched:sched_switch"), 1);
  EXPECT_EQ(filter.RankOfEvent("page-faults"), kNoId);
  EXPECT_EQ(SampleFilter({}, tables_).RankOfEvent("cycles"), 0);
}

}  // namespace
}  // namespace perf2x
