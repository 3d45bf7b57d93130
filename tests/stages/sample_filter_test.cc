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
    tables_.threads.push_back({10, 10, make, make});
    tables_.threads.push_back({10, 11, make, cc});
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
    SampleFilter filter(options_, tables_, budget_);
    const std::string wanted = Wanted(filter);
    EXPECT_EQ(filter.Check().message(), "");
    return wanted;
  }

  TraceTables tables_;
  FilterOptions options_;
  Budget budget_;
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
  SampleFilter filter(options_, tables_, budget_);
  EXPECT_EQ(Wanted(filter), "..x.");
  EXPECT_THAT(filter.filtered(), testing::ElementsAre(2, 1));
}

TEST_F(SampleFilterTest, WhatDoesNotOccurIsNamedWithWhatDoes) {
  Add(FilterKey::kEvent, "sched:sched_switch");
  Add(FilterKey::kComm, "cc1,ld");
  SampleFilter filter(options_, tables_, budget_);
  Wanted(filter);
  EXPECT_THAT(filter.Check().message(), HasSubstr("--comm \"ld\""));
  EXPECT_THAT(filter.Check().message(), HasSubstr("cc1 (2), make (2)"));
}

// A thread that is only there, without samples, is no misspelling.
TEST_F(SampleFilterTest, AThreadWithoutSamplesOccurs) {
  Add(FilterKey::kComm, "cc1");
  SampleFilter filter(options_, tables_, budget_);
  EXPECT_THAT(filter.Check().message(), Not(""));
  EXPECT_TRUE(filter.SelectsThread(1));
  EXPECT_EQ(filter.Check().message(), "");
}

TEST_F(SampleFilterTest, SamplesWithoutTimesAreNotWithinAny) {
  options_.time.spans = {{0, 200}};
  SampleFilter filter(options_, tables_, budget_);
  EXPECT_FALSE(filter.Selects({}));
  EXPECT_THAT(filter.Check().message(), HasSubstr("--time"));
}

TEST_F(SampleFilterTest, TheOrderOfEventsIsTheUsers) {
  Add(FilterKey::kEvent, "sched:*,cycles");
  SampleFilter filter(options_, tables_, budget_);
  EXPECT_LT(filter.RankOfEvent(1), filter.RankOfEvent(0));
  EXPECT_EQ(SampleFilter({}, tables_, budget_).RankOfEvent(0), 0);
  tables_.events.emplace_back().name = "page-faults";
  EXPECT_EQ(filter.RankOfEvent(2), kNoId);
}

TEST_F(SampleFilterTest, AnExactNameComesBeforeOneWithModifiers) {
  tables_.events.emplace_back().name = "cycles";
  Add(FilterKey::kEvent, "sched:*,cycles");
  SampleFilter filter(options_, tables_, budget_);
  EXPECT_LT(filter.RankOfEvent(1), filter.RankOfEvent(2));
  EXPECT_LT(filter.RankOfEvent(2), filter.RankOfEvent(0));
}

TEST_F(SampleFilterTest, EventsOfOneNameHaveNumbers) {
  tables_.events[1].name = tables_.events[0].name = "cycles";
  EXPECT_EQ(SampleFilter({}, tables_, budget_).RankOfEvent(1), 0);
  Add(FilterKey::kEvent, "cycles#2");
  EXPECT_EQ(Wanted(), "..xx");
  SampleFilter filter(options_, tables_, budget_);
  EXPECT_EQ(filter.RankOfEvent(0), kNoId);
  EXPECT_NE(filter.RankOfEvent(1), kNoId);
  Add(FilterKey::kEvent, "cycles");
  EXPECT_EQ(Wanted(), "xxxx");
}

TEST_F(SampleFilterTest, TheFirstEventOfANameHasTheNumber1) {
  tables_.events[1].name = tables_.events[0].name = "cycles";
  Add(FilterKey::kEvent, "cycles#1");
  EXPECT_EQ(Wanted(), "xx..");
}

// As formats show them.
TEST_F(SampleFilterTest, ANumberFollowsTheModifiers) {
  tables_.events[1].name = tables_.events[0].name = "cycles:HG";
  Add(FilterKey::kEvent, "cycles:HG#2");
  EXPECT_EQ(Wanted(), "..xx");
}

TEST_F(SampleFilterTest, ANameWithANumberHasItsModifiers) {
  tables_.events[0].name = "cycles";
  tables_.events[1].name = "cycles:u";
  Add(FilterKey::kEvent, "cycles#1");
  EXPECT_EQ(Wanted(), "xx..");
}

TEST_F(SampleFilterTest, NumbersFollowChangesOfNames) {
  tables_.events[0].name = tables_.events[1].name = "a";
  tables_.events.emplace_back().name = "b";
  Add(FilterKey::kEvent, "b#2");
  SampleFilter filter(options_, tables_, budget_);
  EXPECT_EQ(filter.RankOfEvent(2), kNoId);
  tables_.events[0].name = "b";
  EXPECT_EQ(filter.RankOfEvent(0), kNoId);
  EXPECT_NE(filter.RankOfEvent(2), kNoId);
}

TEST_F(SampleFilterTest, TheMessageListsEventsOfOneNameByNumber) {
  tables_.events[1].name = tables_.events[0].name = "cycles";
  Add(FilterKey::kEvent, "cycles#4");
  SampleFilter filter(options_, tables_, budget_);
  SampleFilter::Candidate sample;
  EXPECT_FALSE(filter.Selects(sample));
  sample.event = 1;
  EXPECT_FALSE(filter.Selects(sample));
  EXPECT_THAT(filter.Check().message(), HasSubstr("cycles (1), cycles#2 (1)"));
}

TEST_F(SampleFilterTest, SamplesOfAProfileStandForMany) {
  Add(FilterKey::kEvent, "cycles,ld");
  SampleFilter filter(options_, tables_, budget_);
  SampleFilter::Candidate sample;
  sample.count = 45;
  EXPECT_TRUE(filter.Selects(sample));
  sample.event = 1;
  EXPECT_FALSE(filter.Selects(sample));
  EXPECT_THAT(filter.filtered(), testing::ElementsAre(0, 45));
  EXPECT_THAT(filter.Check().message(), HasSubstr("cycles:ppp (45)"));
  sample.count = ~uint64_t{0};
  EXPECT_FALSE(filter.Selects(sample));
  EXPECT_EQ(filter.filtered()[1], ~uint64_t{0});
}

// A recording names as many CPUs as it likes, and addresses of any file.
TEST_F(SampleFilterTest, WhatOccursIsChargedToTheBudget) {
  constexpr int kCount = 1000;
  Add(FilterKey::kCpu, "0");
  Add(FilterKey::kSymbol, "[make]");
  {
    SampleFilter filter(options_, tables_, budget_);
    SampleFilter::Candidate sample;
    sample.dso = 0;
    for (int i = 0; i < kCount; ++i) {
      sample.cpu = i;
      filter.Selects(sample);
    }
    const uint64_t of_cpus = budget_.used(Budget::kMemory);
    EXPECT_GT(of_cpus, kCount * 100u);
    for (uint64_t i = 0; i < kCount; ++i) {
      sample.address = i;
      filter.Selects(sample);
    }
    EXPECT_GT(budget_.used(Budget::kMemory), of_cpus + kCount * 50u);
  }
  EXPECT_EQ(budget_.used(Budget::kMemory), 0u);
}

}  // namespace
}  // namespace perf2x
