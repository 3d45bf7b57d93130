// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_magic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/profile_source/profile_maker.h"

namespace perf2x {
namespace {

bool Recognised(const std::string& s) {
  return IsProfile({reinterpret_cast<const uint8_t*>(s.data()),
                    std::min(s.size(), kProfileMagicSize)});
}

ProfileMaker Small() {
  ProfileMaker maker;
  maker.Type("samples", "count");
  maker.Sample({maker.Location(0, 1, {"f"})}, {1});
  return maker;
}

const std::string kLater("\x82\x01\x01x", 4);              // field 16: "x"
const std::string kFixed("\xf9\x01\0\0\0\0\0\0\0\0", 10);  // field 31

TEST(ProfileMagicTest, RecognisesProfiles) {
  const std::string bytes = Small().Bytes();
  EXPECT_TRUE(Recognised(bytes));
  EXPECT_TRUE(Recognised(bytes.substr(0, 20)));
  ProfileMaker large = Small();
  for (int i = 0; i < 100; ++i) large.Sample({1}, {i});
  EXPECT_TRUE(Recognised(large.Bytes()));
}

TEST(ProfileMagicTest, FieldsThatTheFormatDoesNotDefineDoNotMatter) {
  const std::string bytes = Small().Bytes();
  for (const std::string& field : {kLater, kFixed}) {
    EXPECT_TRUE(Recognised(bytes + field));
    EXPECT_TRUE(Recognised(field + bytes));
  }
  ProfileMaker maker = Small();
  ASSERT_TRUE(maker.profile().mutable_sample(0)->MergeFromString(kFixed));
  ASSERT_TRUE(maker.profile().mutable_sample_type(0)->MergeFromString(kLater));
  EXPECT_TRUE(Recognised(maker.Bytes()));
  // Alone, they say nothing.
  EXPECT_FALSE(Recognised(absl::StrCat(kLater, kLater, kFixed)));
}

TEST(ProfileMagicTest, DamagedProfilesAreProfiles) {
  std::string bytes = Small().Bytes();
  EXPECT_TRUE(Recognised(bytes + std::string(8, '\0')));
  EXPECT_TRUE(Recognised(bytes + std::string(8, '\xff')));
  bytes.back() = '\x7f';
  EXPECT_TRUE(Recognised(bytes));
}

TEST(ProfileMagicTest, OtherFilesAreNot) {
  EXPECT_FALSE(Recognised(""));
  EXPECT_FALSE(Recognised(std::string(64, '\0')));
  EXPECT_FALSE(Recognised("PERFILE2 and what follows it in a recording"));
  EXPECT_FALSE(Recognised("2ELIFREP"));
  EXPECT_FALSE(Recognised("no recording"));
  EXPECT_FALSE(Recognised("{\"traceEvents\": []}"));
  EXPECT_FALSE(
      Recognised("\x7f"
                 "ELF\2\1\1"));
  EXPECT_FALSE(Recognised("a;b;c 12\na;b 1\n"));
  EXPECT_FALSE(Recognised("\n\n\nempty lines, and text\n"));
  EXPECT_FALSE(Recognised("\ndata of a table, with more than a line\n"));
  EXPECT_FALSE(Recognised("papa xaxb zz\n"));
}

}  // namespace
}  // namespace perf2x
