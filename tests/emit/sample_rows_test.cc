// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/sample_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "tests/support/spare_thread.h"

namespace perf2x {
namespace {

using RowSums = std::map<std::tuple<StackId, LabelSetId, EventId>,
                         std::pair<uint64_t, uint64_t>>;

RowSums All(SampleRows& rows, StackId begin = 0) {
  RowSums out;
  for (StackId stack = begin; stack < rows.stacks(); ++stack) {
    for (uint32_t i = rows.first(stack); i != kNoId; i = rows[i].next) {
      const auto& row = rows[i];
      const bool is_new =
          out.try_emplace({stack, row.labels, row.event}, row.count, row.value)
              .second;
      EXPECT_TRUE(is_new) << stack << " " << row.labels;
    }
  }
  return out;
}

TEST(SampleRowsTest, SumsHereOrAside) {
  for (const int threads : {1, 2, 3}) {
    Pipeline pipeline(threads);
    SampleRows rows(pipeline);
    RowSums expected;
    uint64_t random = 1;
    for (int i = 0; i < 100'000; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const SampleRows::Key key = {static_cast<StackId>(random >> 50),
                                   static_cast<LabelSetId>(random >> 45 & 3),
                                   static_cast<EventId>(random >> 41 & 1)};
      rows.Add(key, 0, random >> 60);
      auto& sum = expected[{key.stack, key.labels, key.event}];
      ++sum.first;
      sum.second += random >> 60;
    }
    rows.Finish();
    EXPECT_EQ(All(rows), expected) << threads;
    rows.Clear();
    EXPECT_EQ(rows.stacks(), 0u);
  }
}

TEST(SampleRowsTest, BeginsAnewWithLaterStacks) {
  for (const int threads : {1, 2, 3}) {
    Pipeline pipeline(threads);
    SampleRows rows(pipeline);
    constexpr StackId kStacks = 300'000;  // more than a chunk of rows
    for (StackId round = 0; round < 3; ++round) {
      RowSums expected;
      for (StackId stack = 0; stack < kStacks; ++stack) {
        const SampleRows::Key key = {round * kStacks + stack, stack % 3, 0};
        rows.Add(key, 0, 5);
        rows.Add({key.stack, key.labels + 1, 1}, 0, 7);
        expected[{key.stack, key.labels, 0}] = {1, 5};
        expected[{key.stack, key.labels + 1, 1}] = {1, 7};
      }
      rows.Drain();
      EXPECT_EQ(rows.stacks(), (round + 1) * kStacks);
      EXPECT_EQ(All(rows, round * kStacks), expected) << threads;
      rows.FreeAll();
    }
    rows.Finish();
    EXPECT_EQ(rows.stacks(), 3 * kStacks);
  }
}

TEST(SampleRowsTest, AThreadThatWaitsHelps) {
  Pipeline pipeline(2);
  const SpareThread helper(*pipeline.spare_work());
  for (int round = 0; round < 2; ++round) {
    SampleRows rows(pipeline);
    SampleRows without_help(pipeline);
    for (uint32_t i = 0; i < 300'000; ++i) {
      for (SampleRows* to : {&rows, &without_help}) {
        to->Add({i % 5000, i % 3, 0}, 0, i);
      }
    }
    if (round == 1) break;  // dropped midway
    rows.Finish();
    without_help.Finish();
    EXPECT_EQ(All(rows), All(without_help));
  }
}

TEST(SampleRowsTest, ManyLabelsOfOneStack) {
  Pipeline pipeline(1);
  SampleRows rows(pipeline);
  RowSums expected;
  for (int round = 0; round < 2; ++round) {
    for (LabelSetId labels = 0; labels < 1000; ++labels) {
      rows.Add({5, labels, 0}, 0, labels);
      auto& sum = expected[{5, labels, 0}];
      ++sum.first;
      sum.second += labels;
    }
  }
  rows.Finish();
  EXPECT_EQ(All(rows), expected);
}

// Samples of several events with the same labels follow each other, and come
// apart. The events are in two groups, of which the rows lie side by side.
TEST(SampleRowsTest, ManyLabelsAndEventsOfOneStack) {
  Pipeline pipeline(1);
  SampleRows rows(pipeline);
  RowSums expected;
  const auto add = [&](LabelSetId labels, EventId event) {
    rows.Add({5, labels, event}, 0, 1);
    auto& sum = expected[{5, labels, event}];
    ++sum.first;
    ++sum.second;
  };
  for (LabelSetId labels = 0; labels < 100; ++labels) {
    for (EventId event = 6; event < 10; ++event) add(labels, event);
    add(labels / 2, labels % 10);
    add(0, labels % 20);
    rows.Add({6, labels, 1}, 0, 1);
    expected[{6, labels, 1}] = {1, 1};
  }
  rows.Finish();
  EXPECT_EQ(All(rows), expected);
}

TEST(SampleRowsTest, ValuesStopAtTheLargest) {
  Pipeline pipeline(1);
  SampleRows rows(pipeline);
  rows.Add({0, 0, 0}, 0, ~uint64_t{0} / 2);
  rows.Add({0, 0, 0}, 0, 7);
  rows.Finish();
  EXPECT_EQ(rows[rows.first(0)].value, ~uint64_t{0} / 2);
  EXPECT_EQ(rows[rows.first(0)].count, 2u);
}

TEST(SampleRowsTest, KnowsWhichLabelsGoWithSeveralLayouts) {
  for (const int threads : {1, 2, 3}) {
    Pipeline pipeline(threads);
    SampleRows rows(pipeline);
    // Stacks 0 and 1 of one address space, 2 of another; labels 7 go with both,
    // also where the stack is no news.
    rows.Add({0, 3, 0}, 4, 1);
    rows.Add({1, 7, 0}, 4, 1);
    rows.Add({2, 5, 0}, 9, 1);
    rows.Finish();
    EXPECT_FALSE(rows.AnyHasSeveralAddressSpaces());
    rows.Add({2, 7, 0}, 9, 1);
    rows.Finish();
    EXPECT_TRUE(rows.AnyHasSeveralAddressSpaces());
    EXPECT_FALSE(rows.HasSeveralAddressSpaces(3));
    EXPECT_FALSE(rows.HasSeveralAddressSpaces(5));
    EXPECT_TRUE(rows.HasSeveralAddressSpaces(7));
  }
}

TEST(SampleRowsTest, MayBeDroppedMidway) {
  Pipeline pipeline(3);
  SampleRows rows(pipeline);
  for (int i = 0; i < 50'000; ++i) rows.Add({1, 1, 1}, 0, 1);
}

}  // namespace
}  // namespace perf2x
