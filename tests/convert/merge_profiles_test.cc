// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/merge_profiles.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "profile.pb.h"

namespace perf2x {
namespace {

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

  std::string bytes_;
  std::vector<InputIdentity> inputs_;
};

TEST_F(MergeProfilesTest, SaysTheSizeOfTheInputs) {
  Pipeline pipeline(1);
  std::vector<ConvertReport> reports;
  ConvertOptions options;
  options.symbolize = false;
  std::string out;
  uint64_t input_size = 0;
  ASSERT_TRUE(MergeProfiles(inputs_, options, pipeline, *MakeStringOutput(&out),
                            &input_size, &reports)
                  .ok());
  EXPECT_FALSE(out.empty());
  EXPECT_EQ(input_size, 2 * bytes_.size());
}

}  // namespace
}  // namespace perf2x
