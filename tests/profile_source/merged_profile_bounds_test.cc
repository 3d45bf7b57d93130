// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/profile_source/merged_profile.h"
#include "tests/profile_source/profile_maker.h"

namespace perf2x {
namespace {

using testing::HasSubstr;

TEST(MergedProfileBoundsTest, ValueTypesAreLimited) {
  const auto all = [](ProfileSample*) { return true; };
  MergedProfile merged(Budget::Unlimited());
  absl::Status status;
  for (int i = 0; i < 2 && status.ok(); ++i) {
    ProfileMaker maker;
    for (int t = 0; t < 1025; ++t) {
      maker.Type(absl::StrCat("t", i, "_", t), "count");
    }
    auto profile = ReadBytes(maker.Bytes());
    status = merged.Add(&*profile, all);
  }
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("more than 2048 value types"));
}

// Returns how many samples of a profile a budget of 1 MiB pays for; it must not
// pay for all.
int SamplesUntilExhausted(const std::string& bytes) {
  Budget budget({{{1 << 20, 0}, {1 << 20, 0}, {1 << 20, 0}}});
  MergedProfile merged(budget);
  auto profile = ReadBytes(bytes);
  EXPECT_TRUE(profile.ok()) << profile.status();
  if (!profile.ok()) return 0;
  int samples = 0;
  const absl::Status status = merged.Add(&*profile, [&](ProfileSample*) {
    ++samples;
    return true;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  return samples;
}

// Each sample of the first profile needs room for each type of the second.
TEST(MergedProfileBoundsTest, RoomOfEverySampleAndTypeIsCharged) {
  const auto all = [](ProfileSample*) { return true; };
  Budget budget({{{24 << 20, 0}, {24 << 20, 0}, {24 << 20, 0}}});
  MergedProfile merged(budget);
  ProfileMaker samples, types;
  samples.Type("samples", "count");
  for (uint32_t i = 0; i < 40'000; ++i) {
    samples.Sample({samples.Location(0, i, {})}, {1});
  }
  for (int t = 0; t < 2000; ++t) types.Type(absl::StrCat("t", t), "count");
  auto first = ReadBytes(samples.Bytes());
  ASSERT_TRUE(merged.Add(&*first, all).ok());
  auto second = ReadBytes(types.Bytes());
  EXPECT_TRUE(absl::IsResourceExhausted(merged.Add(&*second, all)));
}

TEST(MergedProfileBoundsTest, ValuesOfEverySampleAndTypeAreCharged) {
  ProfileMaker maker;
  std::vector<int64_t> values;
  for (int t = 0; t < 100; ++t) {
    maker.Type(absl::StrCat("t", t), "count");
    values.push_back(t + 1);
  }
  for (uint32_t i = 0; i < 2000; ++i) {
    maker.Sample({maker.Location(0, i, {})}, values);
  }
  EXPECT_LE(SamplesUntilExhausted(maker.Bytes()), 1900);
}

TEST(MergedProfileBoundsTest, LabelsOfEverySampleAreCharged) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  for (int sample = 0; sample < 2; ++sample) {
    pb::Sample* out = maker.Sample({}, {1});
    for (int i = 0; i < 70'000; ++i) {
      out->add_label()->set_num(i * (sample + 1));
    }
  }
  EXPECT_EQ(SamplesUntilExhausted(maker.Bytes()), 1);  // not only at the end
}

TEST(MergedProfileBoundsTest, FramesOfEverySampleAreCharged) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t f = maker.Location(0, 1, {"f"});
  const uint64_t g = maker.Location(0, 2, {"g"});
  std::vector<uint64_t> stack(300'000, f);
  for (int i = 0; i < 10; ++i) {
    stack[static_cast<size_t>(i)] = g;
    maker.Sample(stack, {1});
  }
  EXPECT_LT(SamplesUntilExhausted(maker.Bytes()), 10);  // not only at the end
}

TEST(MergedProfileBoundsTest, TablesAreBounded) {
  Budget budget({{{1 << 16, 1}, {1 << 16, 1}, {1 << 16, 1}}});
  MergedProfile merged(budget);
  const auto all = [](ProfileSample*) { return true; };
  absl::Status status;
  for (uint32_t i = 0; i < 4000 && status.ok(); ++i) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    maker.Sample({maker.Location(0, i, {absl::StrCat("f", i)})}, {1});
    auto profile = ReadBytes(maker.Bytes());
    status = merged.Add(&*profile, all);
  }
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
}

}  // namespace
}  // namespace perf2x
