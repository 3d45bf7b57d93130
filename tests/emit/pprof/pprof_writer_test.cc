// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converter/base/output.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

class PprofWriterTest : public testing::Test {
 protected:
  pb::Profile Written() {
    EXPECT_TRUE(writer_.Flush().ok());
    pb::Profile profile;
    EXPECT_TRUE(profile.ParseFromString(bytes_));
    return profile;
  }
  std::string bytes_;
  std::unique_ptr<Output> output_ = MakeStringOutput(&bytes_);
  PprofWriter writer_{*output_};
};

// Numbers on both sides of every size that they can have.
TEST_F(PprofWriterTest, IdsAndValuesOfAllSizes) {
  std::vector<FrameId> frames;
  std::vector<uint64_t> ids, values;
  for (int bits = 7; bits <= 63; bits += 7) {
    for (uint64_t v = (uint64_t{1} << bits) - 2; v < (uint64_t{1} << bits) + 2;
         ++v) {
      values.push_back(v);
      if (v > ~FrameId{0} - 1) continue;
      frames.push_back(static_cast<FrameId>(v));
      ids.push_back(v + 1);
    }
  }
  frames.insert(frames.end(), {0, ~FrameId{0} - 1});
  ids.insert(ids.end(), {1, ~FrameId{0}});
  values.insert(values.end(), {0, 1});
  writer_.SetFrames(frames);
  ASSERT_TRUE(writer_.Sample(values, "").ok());
  const pb::Profile profile = Written();
  ASSERT_EQ(profile.sample_size(), 1);
  EXPECT_THAT(profile.sample(0).location_id(), ElementsAreArray(ids));
  EXPECT_THAT(profile.sample(0).value(), ElementsAreArray(values));
  EXPECT_THAT(profile.sample(0).label(), IsEmpty());
}

TEST_F(PprofWriterTest, FramesAreOfAllSamplesThatFollow) {
  pb::Sample labels;
  labels.add_label()->set_num(3);
  writer_.SetFrames({5});
  ASSERT_TRUE(writer_.Sample({1}, labels.SerializeAsString()).ok());
  ASSERT_TRUE(writer_.Sample({2}, "").ok());
  // More than is kept before it is handed on.
  const std::vector<FrameId> deep(100'000, 77'777);
  writer_.SetFrames(deep);
  ASSERT_TRUE(writer_.Sample({3}, "").ok());
  writer_.SetFrames({6, 7});
  ASSERT_TRUE(writer_.Sample({4}, "").ok());
  const pb::Profile profile = Written();
  ASSERT_EQ(profile.sample_size(), 4);
  EXPECT_THAT(profile.sample(0).location_id(), ElementsAre(6));
  EXPECT_EQ(profile.sample(0).label(0).num(), 3);
  EXPECT_THAT(profile.sample(1).location_id(), ElementsAre(6));
  EXPECT_EQ(profile.sample(2).location_id_size(), 100'000);
  EXPECT_EQ(profile.sample(2).location_id(99'999), 77'778);
  EXPECT_THAT(profile.sample(3).location_id(), ElementsAre(7, 8));
}

TEST_F(PprofWriterTest, TheRestOfAProfile) {
  pb::Mapping mapping;
  mapping.set_id(1);
  mapping.set_memory_limit(~uint64_t{0});
  ASSERT_TRUE(writer_.Message(pb::Profile::kMappingFieldNumber, mapping).ok());
  ASSERT_TRUE(writer_.Function(9, 1, 2, 3, 4).ok());
  const std::vector<Line> lines = {{8, 30}, {0, 0}};
  ASSERT_TRUE(writer_.Location(1, 1, ~uint64_t{0}, lines).ok());
  ASSERT_TRUE(writer_.String("").ok());
  ASSERT_TRUE(writer_.String("name").ok());
  pb::Profile head;
  head.set_period(17);
  ASSERT_TRUE(writer_.Fields(head).ok());
  const pb::Profile profile = Written();
  EXPECT_EQ(profile.mapping(0).memory_limit(), ~uint64_t{0});
  EXPECT_EQ(profile.function(0).start_line(), 4);
  EXPECT_EQ(profile.location(0).address(), ~uint64_t{0});
  ASSERT_EQ(profile.location(0).line_size(), 2);
  EXPECT_EQ(profile.location(0).line(0).function_id(), 9u);
  EXPECT_EQ(profile.location(0).line(0).line(), 30);
  EXPECT_EQ(profile.location(0).line(1).function_id(), 1u);
  EXPECT_THAT(profile.string_table(), ElementsAre("", "name"));
  EXPECT_EQ(profile.period(), 17);
}

}  // namespace
}  // namespace perf2x
