// SPDX-License-Identifier: Apache-2.0
#include "converter/session/stack_subset.h"

#include <gtest/gtest.h>

#include <vector>

namespace perf2x {
namespace {

// Stack n has one frame, at address n of a file.
class StackSubsetTest : public testing::Test, public FrameSource {
 protected:
  StackSubsetTest() {
    Dso file;
    file.kind = DsoKind::kFile;
    file.name = "/opt/app";
    file_ = tables_.AddDso(file);
    file.kind = DsoKind::kMarker;
    marker_ = tables_.AddDso(file);
    tables_.set_frame_source(this);
  }
  void AppendPlaces(StackId stack, FramePlaces* places) override {
    places->push_back({0, stack, file_, 0});
    places->push_back({0, 0, marker_, 0});
  }

  TraceTables tables_;
  DsoId file_, marker_;
  StackSubset sample_;
};

TEST_F(StackSubsetTest, TheFirstStacksAreExact) {
  for (StackId stack = 0; stack < 2048; ++stack) {
    for (StackId i = 0; i < stack % 3; ++i) sample_.CountSample(stack);
  }
  sample_.Collect(tables_);
  EXPECT_EQ(sample_.samples(), 2047u);
  ASSERT_EQ(sample_.dsos().size(), 1u);
  uint64_t samples = 0, stacks = 0;
  sample_.ForEach([&](uint64_t count, auto places) {
    ASSERT_EQ(places.size(), 1u);  // markers are no frames
    EXPECT_EQ(count, places[0].address % 3);
    samples += count;
    ++stacks;
  });
  EXPECT_EQ(samples, 2047u);
  EXPECT_EQ(stacks, 1365u);
  sample_.Drop();
  EXPECT_EQ(sample_.samples(), 2047u);
  sample_.ForEach([](uint64_t, auto) { FAIL(); });
}

TEST_F(StackSubsetTest, StacksMayComeInAnyOrder) {
  for (const StackId stack : {4096u, 300u, 4097u, 5u, 2047u, 300u, 4112u}) {
    sample_.CountSample(stack);
  }
  sample_.Collect(tables_);
  std::vector<uint64_t> counts, stacks;
  sample_.ForEach([&](uint64_t count, auto places) {
    counts.push_back(count);
    stacks.push_back(places[0].address);
  });
  EXPECT_EQ(stacks, std::vector<uint64_t>({5, 300, 2047, 4096, 4112}));
  // Of the last ones every 16th is chosen.
  EXPECT_EQ(counts, std::vector<uint64_t>({1, 2, 1, 16, 16}));
}

TEST_F(StackSubsetTest, ManyStacksAreCountedByAFew) {
  constexpr StackId kStacks = 1 << 20;
  for (StackId stack = 0; stack < kStacks; ++stack) sample_.CountSample(stack);
  sample_.Collect(tables_);
  EXPECT_EQ(sample_.samples(), kStacks);
  uint64_t stacks = 0, in_upper_half = 0;
  sample_.ForEach([&](uint64_t count, auto places) {
    ++stacks;
    if (places[0].address >= kStacks / 2) in_upper_half += count;
  });
  EXPECT_EQ(stacks, 2048u + 9 * 256);  // 2^11 to 2^20 are nine doublings
  EXPECT_EQ(in_upper_half, kStacks / 2);
}

TEST_F(StackSubsetTest, IsCollectedInParts) {
  constexpr StackId kStacks = 1 << 16;
  for (StackId stack = 0; stack < kStacks; ++stack) {
    sample_.CountSample(stack);
    if (stack % 5000 == 1) sample_.Collect(tables_);
  }
  sample_.Collect(tables_);
  EXPECT_EQ(sample_.samples(), kStacks);
  StackSubset at_once;
  for (StackId stack = 0; stack < kStacks; ++stack) at_once.CountSample(stack);
  at_once.Collect(tables_);
  std::vector<uint64_t> parts, whole;
  sample_.ForEach([&](uint64_t count, auto places) {
    parts.insert(parts.end(), {count, places[0].address});
  });
  at_once.ForEach([&](uint64_t count, auto places) {
    whole.insert(whole.end(), {count, places[0].address});
  });
  EXPECT_EQ(parts, whole);
}

TEST_F(StackSubsetTest, GeneratedCodeIsOneDso) {
  Dso jit;
  jit.kind = DsoKind::kGenerated;
  jit.pid = 7;
  file_ = tables_.AddDso(jit);
  sample_.CountSample(0);
  sample_.Collect(tables_);
  ASSERT_EQ(sample_.dsos().size(), 1u);
  EXPECT_EQ(sample_.dsos()[0].kind, DsoKind::kGenerated);
  EXPECT_EQ(sample_.dsos()[0].pid, 0);
}

}  // namespace
}  // namespace perf2x
