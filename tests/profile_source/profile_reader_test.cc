// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "converter/profile_source/profile_encoder.h"
#include "tests/profile_source/profile_maker.h"

namespace perf2x {
namespace {

using testing::HasSubstr;

std::string Rewritten(const Profile& profile) {
  std::string bytes;
  const auto output = MakeStringOutput(&bytes);
  const auto all = [](ProfileSample*) { return true; };
  EXPECT_TRUE(WriteProfile(profile, all, *output).ok());
  return bytes;
}

// A profile with every field of the format.
ProfileMaker Full() {
  ProfileMaker maker;
  maker.Type("samples", "count").Type("cpu", "nanoseconds");
  const uint64_t app = maker.Mapping("/bin/app", 0x1000, 0x2000, 0x40, "ab12");
  maker.Mapping("/lib/lib.so", 0x9000, 0x1000);
  pb::Mapping* mapping = maker.profile().mutable_mapping(0);
  mapping->set_has_functions(true);
  mapping->set_has_inline_frames(true);
  const uint64_t main = maker.Location(app, 0x1010, {"inner", "main"}, 7);
  maker.profile().mutable_location(0)->mutable_line(0)->set_column(3);
  maker.profile().mutable_location(0)->set_is_folded(true);
  const uint64_t nowhere = maker.Location(0, 0, {"script"});
  const uint64_t bare = maker.Location(app, 0x1020, {});
  pb::Sample* sample = maker.Sample({main, nowhere}, {1, -10});
  maker.Label(sample, "thread", "worker");
  maker.Number(sample, "bytes", 4096, "bytes");
  maker.Number(sample, "bytes", 0, "bytes");
  maker.Sample({bare}, {0, 0});
  maker.Sample({}, {3, 4});
  maker.Comment("made by hand");
  pb::Profile& profile = maker.profile();
  profile.set_drop_frames(maker.String("alloc.*"));
  profile.set_keep_frames(maker.String("main"));
  profile.set_time_nanos(1234);
  profile.set_duration_nanos(5678);
  profile.mutable_period_type()->set_type(maker.String("cpu"));
  profile.mutable_period_type()->set_unit(maker.String("nanoseconds"));
  profile.set_period(10'000'000);
  profile.set_default_sample_type(maker.String("cpu"));
  profile.set_doc_url(maker.String("https://example.com"));
  return maker;
}

TEST(ProfileReaderTest, KeepsEveryField) {
  const ProfileMaker full = Full();
  const auto profile = ReadBytes(full.Bytes());
  ASSERT_TRUE(profile.ok()) << profile.status();
  pb::Profile again;
  ASSERT_TRUE(again.ParseFromString(Rewritten(*profile)));
  EXPECT_EQ(again.SerializeAsString(), full.Bytes());
}

TEST(ProfileReaderTest, KeepsIdsThatDoNotCountFromOne) {
  ProfileMaker maker = Full();
  pb::Profile& profile = maker.profile();
  profile.mutable_mapping(1)->set_id(~uint64_t{0});
  profile.mutable_location(0)->set_id(1u << 31);
  profile.mutable_sample(0)->set_location_id(0, 1u << 31);
  profile.mutable_function(0)->set_id(99);
  profile.mutable_location(0)->mutable_line(0)->set_function_id(99);
  const auto read = ReadBytes(maker.Bytes());
  ASSERT_TRUE(read.ok()) << read.status();
  pb::Profile again;
  ASSERT_TRUE(again.ParseFromString(Rewritten(*read)));
  EXPECT_EQ(again.SerializeAsString(), maker.Bytes());
}

// As Pyroscope's profiler for .NET wrote them.
TEST(ProfileReaderTest, FunctionsWithoutIdsAreThoseOfTheLocations) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t leaf = maker.Location(0, 0, {"leaf"});
  const uint64_t root = maker.Location(0, 0, {"root"});
  maker.Sample({leaf, root}, {1});
  const std::string with_ids = maker.Bytes();
  for (pb::Function& function : *maker.profile().mutable_function()) {
    function.clear_id();
  }
  const auto profile = ReadBytes(maker.Bytes());
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(Rewritten(*profile), Rewritten(*ReadBytes(with_ids)));

  // Not if locations and functions are no pairs.
  ProfileMaker two_lines = maker;
  two_lines.profile().mutable_location(0)->add_line()->set_function_id(1);
  ProfileMaker one_function = maker;
  one_function.profile().mutable_location(1)->mutable_line(0)->set_function_id(
      1);
  ProfileMaker some_have_ids = maker;
  some_have_ids.profile().mutable_function(1)->set_id(2);
  ProfileMaker no_line = maker;
  no_line.profile().mutable_location(1)->clear_line();
  ProfileMaker more_functions = maker;
  more_functions.profile().add_function();
  for (const ProfileMaker* broken :
       {&two_lines, &one_function, &some_have_ids, &no_line, &more_functions}) {
    EXPECT_THAT(ReadBytes(broken->Bytes()).status().message(),
                HasSubstr("a function has no id"));
  }
}

TEST(ProfileReaderTest, FailsWhereverTheProfileIsCut) {
  const std::string bytes = Full().Bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto profile = ReadBytes(bytes.substr(0, size));
    if (profile.ok()) continue;  // cut between two fields that need no others
    EXPECT_TRUE(absl::IsDataLoss(profile.status())) << size;
  }
  EXPECT_FALSE(ReadBytes(bytes.substr(0, bytes.size() / 2)).ok());
}

TEST(ProfileReaderTest, NamesWhatIsDamaged) {
  const auto error_of = [](const ProfileMaker& maker) {
    return std::string(ReadBytes(maker.Bytes()).status().message());
  };
  ProfileMaker maker = Full();
  maker.profile().mutable_location(1)->set_id(1);
  EXPECT_THAT(error_of(maker), HasSubstr("two locations with one id"));
  maker = Full();
  maker.profile().mutable_location(1)->clear_id();
  EXPECT_THAT(error_of(maker), HasSubstr("a location has no id"));
  maker = Full();
  maker.profile().mutable_mapping(1)->clear_id();
  EXPECT_THAT(error_of(maker), HasSubstr("a mapping has no id"));
  maker = Full();
  maker.profile().mutable_mapping(1)->set_id(1);
  EXPECT_THAT(error_of(maker), HasSubstr("two mappings with one id"));
  maker = Full();
  maker.profile().mutable_function(1)->set_id(1);
  EXPECT_THAT(error_of(maker), HasSubstr("two functions with one id"));
  maker = Full();
  maker.profile().mutable_function(0)->set_name(1000);
  EXPECT_THAT(error_of(maker), HasSubstr("names string 1000"));
  maker = Full();
  maker.profile().mutable_location(0)->mutable_line(0)->set_function_id(77);
  EXPECT_THAT(error_of(maker), HasSubstr("function 77"));
  maker = Full();
  maker.profile().set_string_table(0, "not empty");
  EXPECT_THAT(error_of(maker), HasSubstr("first string"));
}

TEST(ProfileReaderTest, DamagedPackedCommentsAreAnError) {
  ProfileMaker maker = Full();
  // Field 13, packed, whose only number has no last byte.
  const auto profile = ReadBytes(maker.Bytes() + "\x6a\x01\x80");
  EXPECT_THAT(profile.status().message(), HasSubstr("broken field"));
}

TEST(ProfileReaderTest, SamplesAreCheckedWhenTheyAreDecoded) {
  for (const int fault : {0, 1, 2}) {
    ProfileMaker maker = Full();
    pb::Sample* sample = maker.profile().mutable_sample(0);
    if (fault == 0) sample->set_location_id(0, 1000);
    if (fault == 1) sample->add_value(1);
    if (fault == 2) sample->mutable_label(0)->set_key(-1);
    const auto profile = ReadBytes(maker.Bytes());
    ASSERT_TRUE(profile.ok());
    std::string bytes;
    const auto output = MakeStringOutput(&bytes);
    const auto all = [](ProfileSample*) { return true; };
    EXPECT_TRUE(absl::IsDataLoss(WriteProfile(*profile, all, *output)))
        << fault;
  }
}

TEST(ProfileReaderTest, TablesAreBounded) {
  // Two bytes each, so that they cost far more than they are.
  std::string bytes = Full().Bytes();
  for (int i = 0; i < 3'000'000; ++i) bytes.append("\x0a\x00", 2);
  Budget budget({{{1 << 20, 1}, {1 << 20, 1}, {1 << 20, 1}}});
  budget.AddInput(uint64_t{1});
  EXPECT_TRUE(absl::IsResourceExhausted(ReadBytes(bytes, budget).status()));
}

TEST(ProfileReaderTest, ValueTypesAreLimited) {
  ProfileMaker maker;
  for (size_t i = 0; i < kMaxValueTypes; ++i) maker.Type("samples", "count");
  EXPECT_TRUE(ReadBytes(maker.Bytes()).ok());
  maker.Type("samples", "count");
  const absl::Status status = ReadBytes(maker.Bytes()).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(status.message(), HasSubstr("more than 2048 value types"));
}

TEST(ProfileReaderTest, LongNamesOfManyLinesAreRefused) {
  const auto read = [](int lines, int mappings, Budget& budget) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    maker.Function(std::string(100'000, 'f'));
    for (int i = 0; i < mappings; ++i) maker.Mapping("/bin/app", 0, 1);
    for (int i = 0; i < lines; ++i) {
      maker.Location(static_cast<uint64_t>(i % mappings) + 1, 1, {});
      maker.profile().mutable_location(i)->add_line()->set_function_id(1);
    }
    return ReadBytes(maker.Bytes(), budget).status();
  };
  constexpr Budget::Rules kRules = {{{4 << 20, 0}, {1 << 20, 0}, {0, 0}}};
  Budget few(kRules), many_lines(kRules), many_mappings(kRules);
  EXPECT_TRUE(read(100, 1, few).ok());
  EXPECT_THAT(std::string(read(1000, 1, many_lines).message()),
              HasSubstr("more work"));
  EXPECT_THAT(std::string(read(100, 100, many_mappings).message()),
              HasSubstr("more memory"));
}

TEST(ProfileReaderTest, AHugeSampleIsRefused) {
  const auto read = [](size_t locations) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    maker.Sample(std::vector<uint64_t>(locations, maker.Location(0, 1, {})),
                 {1});
    return ReadBytes(maker.Bytes()).status();
  };
  EXPECT_TRUE(read((1 << 20) - 16).ok());
  const absl::Status status = read(1 << 20);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("up to 1 MiB"));
}

TEST(ProfileReaderTest, FieldsThatTheFormatDoesNotDefineAreDropped) {
  const ProfileMaker full = Full();
  ProfileMaker more = Full();
  ASSERT_TRUE(more.profile().MergeFromString(std::string("\x82\x01\x01x", 4)));
  ASSERT_TRUE(more.profile().mutable_sample(0)->MergeFromString(
      std::string("\xf8\x06\x01", 3)));
  ASSERT_NE(more.Bytes(), full.Bytes());
  const auto profile = ReadBytes(more.Bytes());
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(Rewritten(*profile), Rewritten(*ReadBytes(full.Bytes())));
}

TEST(ProfileReaderTest, ControlCharactersAreEscaped) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  maker.Comment("red \x1b[31m");
  const auto profile = ReadBytes(maker.Bytes());
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ((*profile)[profile->comments[0]], "red \\x1b[31m");
}

// It would be copied for each entry.
TEST(ProfileReaderTest, ALongTextOfManyEntriesIsRefused) {
  const std::string text(300'000, 'x');
  for (int what = 0; what < 4; ++what) {
    ProfileMaker maker;
    maker.Type("cpu", what == 0 ? text : "count");
    for (int i = 0; i < 1000; ++i) {
      if (what == 0) maker.Type("cpu", text);
      if (what == 1) maker.Comment(text);
      if (what == 2) maker.Mapping(text, 0x1000 * i, 0x1000);
      if (what == 3) {
        pb::Function* function = maker.profile().add_function();
        function->set_id(i + 1);
        function->set_name(maker.String(text));
      }
    }
    const std::string bytes = maker.Bytes();
    Budget budget;
    budget.AddInput(uint64_t{bytes.size()});
    EXPECT_TRUE(absl::IsResourceExhausted(ReadBytes(bytes, budget).status()))
        << what;
  }
}

}  // namespace
}  // namespace perf2x
