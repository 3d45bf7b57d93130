#include "converter/profile/frames_ahead.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

// Stack i has i % 7 + 1 frames at addresses from i % 50 on.
class FramesAheadTest : public testing::Test, public FrameSource {
 protected:
  FramesAheadTest() { tables_.set_frame_source(this); }
  void AppendPlaces(StackId stack, std::vector<FramePlace>* places) override {
    for (uint64_t i = 0; i < stack % 7 + 1; ++i) {
      const uint64_t address = stack % 50 + i;
      places->push_back({FrameTable::HashOf(3, address), address, 3, 0});
    }
  }
  ProfileTables tables_;
};

TEST_F(FramesAheadTest, GivesEveryStackInOrder) {
  constexpr size_t kStacks = 50'000;
  for (const bool ahead : {false, true}) {
    FramesAhead frames(tables_, kStacks, ahead);
    for (StackId stack = 0; stack < kStacks; ++stack) {
      const absl::Span<const FrameId> got = frames.Next();
      ASSERT_EQ(got.size(), stack % 7 + 1);
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(tables_.frames()[got[i]].address, stack % 50 + i);
      }
    }
  }
  EXPECT_EQ(tables_.frames().size(), 56u);
}

TEST_F(FramesAheadTest, GivesPlacesOfWantedStacks) {
  constexpr size_t kStacks = 20'000;
  std::vector<bool> wanted(kStacks);
  for (size_t i = 0; i < kStacks; i += 3) wanted[i] = true;
  for (const bool ahead : {false, true}) {
    FramesAhead frames(tables_, kStacks, ahead, &wanted);
    for (StackId stack = 0; stack < kStacks; stack += 3) {
      const absl::Span<const FramePlace> got = frames.NextPlaces();
      ASSERT_EQ(got.size(), stack % 7 + 1);
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].address, stack % 50 + i);
      }
    }
  }
  EXPECT_TRUE(tables_.frames().empty());
}

TEST_F(FramesAheadTest, MayBeLeftMidway) {
  FramesAhead frames(tables_, 1'000'000, true);
  EXPECT_EQ(frames.Next().size(), 1u);
}

}  // namespace
}  // namespace perf2x
