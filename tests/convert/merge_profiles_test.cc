// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/merge_profiles.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "converter/model/model.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

constexpr Budget::Rules kNoOutput = {{{1 << 20, 0}, {1 << 20, 0}, {16, 0}}};

// A profile in a file, twice.
class MergeProfilesTest : public testing::Test {
 protected:
  MergeProfilesTest() {
    perftools::profiles::Profile profile;
    for (const char* s : {"", "samples", "count", "a comment of some length"}) {
      profile.add_string_table(s);
    }
    auto* type = profile.add_sample_type();
    type->set_type(1);
    type->set_unit(2);
    profile.add_sample()->add_value(5);
    profile.add_comment(3);
    bytes_ = profile.SerializeAsString();
    const std::string path = testing::TempDir() + "/merge_profiles_test.pb";
    std::ofstream(path, std::ios::binary) << bytes_;
    inputs_.assign(2, InputIdentity::FromPath(path));
  }

  absl::Status Merge(Budget& budget, std::string* to) {
    Pipeline pipeline(1);
    std::vector<ConvertReport> reports;
    ConvertOptions options;
    options.symbolize = false;
    return MergeProfiles(inputs_, options, pipeline, budget,
                         *MakeStringOutput(to), &reports);
  }

  std::string bytes_;
  std::vector<InputIdentity> inputs_;
};

TEST_F(MergeProfilesTest, TheBudgetIsThatOfTheInputs) {
  Budget budget;
  std::string out;
  ASSERT_TRUE(Merge(budget, &out).ok());
  EXPECT_FALSE(out.empty());
  EXPECT_EQ(budget.used(Budget::kOutput), out.size());
  EXPECT_EQ(budget.input_size(), 2 * bytes_.size());
}

TEST_F(MergeProfilesTest, TheBytesOfTheProfileAreBounded) {
  Budget budget(kNoOutput);
  std::string out;
  const absl::Status status = Merge(budget, &out);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

}  // namespace
}  // namespace perf2x
