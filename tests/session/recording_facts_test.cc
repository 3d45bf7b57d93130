// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recording_facts.h"

#include <gtest/gtest.h>

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

RecordingFacts FactsOf(const EventAttr& attr, bool has_stack_limit = false) {
  RecordedEvent event;
  event.attr = attr;
  RecordingFacts facts;
  facts.AddEvents({event}, has_stack_limit, {{.enabled = 4, .running = 2}});
  return facts;
}

TEST(RecordingFactsTest, CallchainsFollowFramePointersUnlessMadeOtherwise) {
  EventAttr attr;
  EXPECT_FALSE(FactsOf(attr).follows_frame_pointers);
  EXPECT_TRUE(FactsOf(attr).lacks_call_graphs);
  attr.sample_type = kSampleCallchain;
  EXPECT_TRUE(FactsOf(attr).follows_frame_pointers);
  EXPECT_FALSE(FactsOf(attr).lacks_call_graphs);
  EXPECT_FALSE(FactsOf(attr, /*has_stack_limit=*/true).follows_frame_pointers);
  attr.sample_max_stack = 4;
  EXPECT_FALSE(FactsOf(attr).follows_frame_pointers);
  attr.sample_max_stack = 0;
  attr.sample_type |= kSampleStackUser;
  attr.sample_stack_user = 8192;
  EXPECT_FALSE(FactsOf(attr).follows_frame_pointers);
  EXPECT_EQ(FactsOf(attr).dump_size, 8192u);
}

TEST(RecordingFactsTest, DataAddressesAreAskedForByTheirBit) {
  EventAttr attr;
  attr.sample_type = kSampleIp | kSampleCallchain;
  EXPECT_FALSE(FactsOf(attr).has_data_addresses);
  attr.sample_type |= kSampleAddr;
  EXPECT_TRUE(FactsOf(attr).has_data_addresses);
}

TEST(RecordingFactsTest, EventsHaveWhatWasAskedForAndCounted) {
  EventAttr attr;
  attr.sample_period = 99;
  attr.flags = uint64_t{1} << 10 | uint64_t{1} << 5;  // freq, exclude_kernel
  const RecordingFacts facts = FactsOf(attr);
  ASSERT_EQ(facts.events.size(), 1u);
  EXPECT_TRUE(facts.events[0].is_frequency);
  EXPECT_TRUE(facts.events[0].excludes_kernel);
  EXPECT_FALSE(facts.events[0].excludes_user);
  EXPECT_EQ(facts.events[0].period, 99u);
  EXPECT_EQ(facts.events[0].counted.running, 2u);
}

}  // namespace
}  // namespace perf2x
