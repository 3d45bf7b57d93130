// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/merged_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/profile_source/profile_events.h"
#include "tests/profile_source/profile_maker.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Merge(const std::vector<std::string>& profiles,
                  MergedProfile* merged) {
  const auto all = [](ProfileSample*) { return true; };
  for (const std::string& bytes : profiles) {
    auto profile = ReadBytes(bytes);
    EXPECT_TRUE(profile.ok()) << profile.status();
    EXPECT_TRUE(merged->Add(&*profile, all).ok());
  }
  std::string out;
  const auto output = MakeStringOutput(&out);
  EXPECT_TRUE(merged->Write(*output).ok());
  return out;
}
std::string Merge(const std::vector<std::string>& profiles) {
  MergedProfile merged(Budget::Unlimited());
  return Merge(profiles, &merged);
}

pb::Profile Parse(const std::string& bytes) {
  pb::Profile profile;
  EXPECT_TRUE(profile.ParseFromString(bytes));
  return profile;
}

// A profile as hosts make them: common and own code, labels, events.
std::string RandomProfile(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return random() % n; };
  ProfileMaker maker;
  // Types that count others by name and by place, those that look like it, and
  // the same ones twice.
  if (seed % 3 == 0) maker.Type("other", "bytes");
  if (seed % 5 == 1) maker.Type("objects", "count").Type("space", "bytes");
  if (seed % 5 == 2) maker.Type("events", "count").Type("space", "bytes");
  if (seed % 7 == 3) maker.Type("objects", "count").Type("goroutine", "count");
  maker.Type("cpu_samples", "count").Type("cpu", "nanoseconds");
  if (seed % 4 == 2) maker.Type("cycles", "count");
  if (seed % 4 == 3) maker.Type("cycles_samples", "count");
  if (seed % 6 == 5) maker.Type("cpu_samples", "count").Type("cpu", "count");
  if (seed % 6 == 1) {
    maker.Type("cycles_samples_samples", "count")
        .Type("cycles_samples", "count");
  }
  if (seed % 4 == 0) {
    maker.profile().set_default_sample_type(maker.String("cpu"));
  }
  const int types = maker.profile().sample_type_size();
  // Loaded elsewhere on every host.
  const uint64_t base = 0x1000 * (1 + below(50));
  std::vector<uint64_t> mappings = {
      maker.Mapping(absl::StrCat("/bin/app", seed % 2), base, 0x8000, 0, "aa"),
      maker.Mapping("/lib/libc.so", base + 0x100000, 0x8000, 0x1000, "bb"),
      maker.Mapping("[kernel.kallsyms]", 0xffff0000 + 16 * below(2), 0x1000),
  };
  std::vector<uint64_t> locations;
  for (uint32_t i = 0; i < 30; ++i) {
    const uint32_t m = below(3);
    const uint64_t at = below(20);
    const uint64_t start =
        maker.profile().mapping(static_cast<int>(m)).memory_start();
    locations.push_back(maker.Location(
        mappings[m], start + at, {absl::StrCat("f", m, "_", at), "caller"}));
  }
  locations.push_back(maker.Location(0, 0, {"script"}));
  for (uint32_t i = 0; i < 40; ++i) {
    std::vector<uint64_t> stack;
    for (uint32_t n = below(5); n-- > 0;) {
      stack.push_back(
          locations[below(static_cast<uint32_t>(locations.size()))]);
    }
    std::vector<int64_t> values;
    for (int v = 0; v < types; ++v) values.push_back(below(1000));
    pb::Sample* sample = maker.Sample(stack, values);
    if (below(2) == 0)
      maker.Label(sample, "thread", absl::StrCat("t", below(3)));
    if (below(2) == 0) maker.Number(sample, "pid", below(3), "pid");
  }
  maker.Comment(absl::StrCat("host: h", seed % 2));
  maker.Comment("perf: 6.1");
  maker.Comment(absl::StrCat(1 + seed, " samples lost"));
  if (seed % 5 == 0) maker.Comment("a remark");
  maker.profile().set_time_nanos(1000 + below(100));
  maker.profile().set_duration_nanos(
      seed % 9 == 0 ? std::numeric_limits<int64_t>::max()
                    : static_cast<int64_t>(below(100)) - 20);
  maker.profile().mutable_period_type()->set_type(maker.String("cpu"));
  maker.profile().set_period(below(10));
  return maker.Bytes();
}

// Merges in a random tree.
std::string MergeTree(std::vector<std::string> profiles, std::mt19937& random) {
  std::shuffle(profiles.begin(), profiles.end(), random);
  while (profiles.size() > 1) {
    const size_t n = std::min<size_t>(profiles.size(), 2 + random() % 3);
    std::vector<std::string> group(profiles.end() - static_cast<ptrdiff_t>(n),
                                   profiles.end());
    profiles.resize(profiles.size() - n);
    profiles.insert(profiles.begin() + static_cast<ptrdiff_t>(
                                           random() % (profiles.size() + 1)),
                    Merge(group));
  }
  return profiles[0];
}

TEST(MergedProfileTest, OrderAndGroupingDoNotMatter) {
  std::vector<std::string> profiles;
  for (uint32_t seed = 1; seed <= 36; ++seed) {
    profiles.push_back(RandomProfile(seed));
  }
  const std::string all = Merge(profiles);
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(MergeTree(profiles, random) == all) << i;
  }
  EXPECT_TRUE(Merge({all}) == all);
  EXPECT_FALSE(Merge({all, profiles[0]}) == all);
}

// A profile cannot state that a type without a name is its default.
TEST(MergedProfileTest, TypesWithoutNamesDoNotMatterForTheDefault) {
  std::vector<std::string> profiles;
  for (const std::vector<std::string>& types :
       std::vector<std::vector<std::string>>{
           {"x", ""}, {"y", ""}, {""}, {"cpu"}, {"b", "z"}}) {
    ProfileMaker maker;
    for (const std::string& type : types) maker.Type(type, "count");
    maker.Sample({maker.Location(0, 1, {"f"})},
                 std::vector<int64_t>(types.size(), 1));
    profiles.push_back(maker.Bytes());
  }
  const std::string all = Merge(profiles);
  const pb::Profile merged = Parse(all);
  EXPECT_EQ(merged.string_table(static_cast<int>(merged.default_sample_type())),
            "cpu");
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(MergeTree(profiles, random) == all) << i;
  }
}

TEST(MergedProfileTest, SumsAreThoseOfTheInputs) {
  std::vector<std::string> profiles;
  std::map<std::string, int64_t> expected;
  const auto add = [](const pb::Profile& profile,
                      std::map<std::string, int64_t>* to) {
    for (const pb::Sample& sample : profile.sample()) {
      for (int i = 0; i < sample.value_size(); ++i) {
        (*to)[profile.string_table(static_cast<int>(
            profile.sample_type(i).type()))] += sample.value(i);
      }
    }
  };
  for (uint32_t seed = 1; seed <= 9; ++seed) {
    profiles.push_back(RandomProfile(seed));
    add(Parse(profiles.back()), &expected);
  }
  std::map<std::string, int64_t> sums;
  add(Parse(Merge(profiles)), &sums);
  EXPECT_EQ(sums, expected);
}

TEST(MergedProfileTest, CodeOfAFileIsOneWhereverItIsLoaded) {
  std::vector<std::string> profiles;
  for (const uint64_t start : {0x7000, 0x3000, 0x9000}) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    const uint64_t lib = maker.Mapping("/lib/x.so", start, 0x1000, 0, "ab");
    const uint64_t jit = maker.Mapping("[anon]", start, 0x1000);
    maker.Sample({maker.Location(lib, start + 0x10, {"f"})}, {1});
    maker.Sample({maker.Location(jit, start + 0x10, {})}, {1});
    profiles.push_back(maker.Bytes());
  }
  const pb::Profile merged = Parse(Merge(profiles));
  EXPECT_EQ(merged.sample_size(), 4);
  ASSERT_EQ(merged.mapping_size(), 4);
  EXPECT_EQ(merged.mapping(0).memory_start(), 0x3000u);
  EXPECT_EQ(merged.mapping(0).memory_limit(), 0x4000u);
  const pb::Location& location = merged.location(0);
  EXPECT_EQ(location.mapping_id(), 1u);
  EXPECT_EQ(location.address(), 0x3010u);
}

TEST(MergedProfileTest, ValueTypesThatOneLacksAreZero) {
  ProfileMaker a, b;
  a.Type("z", "count");
  a.Sample({a.Location(0, 1, {"f"})}, {5});
  b.Type("a", "bytes");
  b.Sample({b.Location(0, 1, {"f"})}, {7});
  const pb::Profile merged = Parse(Merge({a.Bytes(), b.Bytes()}));
  ASSERT_EQ(merged.sample_size(), 1);
  EXPECT_THAT(merged.sample(0).value(), ElementsAre(7, 5));
  EXPECT_EQ(merged.string_table(static_cast<int>(merged.default_sample_type())),
            "a");
  // Equal lists keep their order and their default, which is the last type.
  ProfileMaker go;
  go.Type("samples", "count").Type("cpu", "nanoseconds");
  const pb::Profile same = Parse(Merge({go.Bytes(), go.Bytes()}));
  EXPECT_EQ(same.default_sample_type(), 0);
  EXPECT_EQ(same.string_table(static_cast<int>(same.sample_type(0).type())),
            "samples");
}

// The types of a merge as "NAME/UNIT", and its events as "COUNT of NAME".
std::vector<std::string> TypesAndEvents(
    const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::string> profiles;
  for (const std::vector<std::string>& list : lists) {
    ProfileMaker maker;
    std::vector<int64_t> values;
    for (const std::string& type : list) {
      const std::pair<std::string, std::string> of =
          absl::StrSplit(type, absl::MaxSplits('/', 1));
      maker.Type(of.first, of.second);
      values.push_back(of.second == "count" ? 1 : 1000);
    }
    maker.Sample({maker.Location(0, 1, {"f"})}, values);
    profiles.push_back(maker.Bytes());
  }
  const auto merged = ReadBytes(Merge(profiles));
  std::vector<std::string> out;
  for (const Profile::ValueType& type : merged->sample_types) {
    out.push_back(
        absl::StrCat((*merged)[type.type], "/", (*merged)[type.unit]));
  }
  const ProfileEvents events(*merged);
  ProfileSample sample;
  EXPECT_TRUE(merged->samples
                  .ForEach([&](absl::Span<const uint8_t> message) {
                    return sample.Decode(*merged, message);
                  })
                  .ok());
  for (EventId id = 0; id < events.events().size(); ++id) {
    out.push_back(absl::StrCat(events.CountIn(sample, id), " of ",
                               events.events()[id].name));
  }
  return out;
}

TEST(MergedProfileTest, TypesThatCountOthersStandBeforeThem) {
  EXPECT_THAT(
      TypesAndEvents(
          {{"cpu-clock_samples/count", "cpu-clock/nanoseconds"},
           {"a_samples/count", "a/count"},
           {"cpu-clock:u_samples/count", "cpu-clock:u/nanoseconds"}}),
      ElementsAre("cpu-clock_samples/count", "cpu-clock/nanoseconds",
                  "cpu-clock:u_samples/count", "cpu-clock:u/nanoseconds",
                  "a_samples/count", "a/count", "1 of cpu-clock",
                  "1 of cpu-clock:u", "1 of a"));
  // Go's, with a type that counts nothing and must not seem to.
  EXPECT_THAT(
      TypesAndEvents({{"samples/count", "cpu/nanoseconds"},
                      {"contentions/count", "delay/nanoseconds"},
                      {"goroutine/count"},
                      {"wall/nanoseconds"}}),
      ElementsAre("samples/count", "cpu/nanoseconds", "contentions/count",
                  "delay/nanoseconds", "wall/nanoseconds", "goroutine/count",
                  "1 of cpu", "1 of delay", "1000 of wall", "1 of goroutine"));
  // Only one can stand before a type.
  EXPECT_THAT(TypesAndEvents({{"samples/count", "cpu/nanoseconds"},
                              {"events/count", "cpu/nanoseconds"}}),
              ElementsAre("events/count", "cpu/nanoseconds", "samples/count",
                          "1 of cpu", "1 of samples"));
}

// The event of one is called as the count of the other.
TEST(MergedProfileTest, AnEventIsNotTheCountThatItIsCalledAs) {
  const std::vector<std::string> of_cycles = {"cycles_samples/count",
                                              "cycles/count"};
  const std::vector<std::string> of_other = {"cycles_samples_samples/count",
                                             "cycles_samples/count"};
  const auto both = [](const auto& a, const auto& b) {
    std::vector<std::string> all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
  };
  for (const auto& lists : std::vector<std::vector<std::vector<std::string>>>{
           {both(of_cycles, of_other), of_cycles, of_other},
           {both(of_other, of_cycles), of_other, of_cycles}}) {
    EXPECT_THAT(
        TypesAndEvents(lists),
        ElementsAre("cycles_samples/count", "cycles/count",
                    "cycles_samples_samples/count", "cycles_samples/count",
                    "2 of cycles", "2 of cycles_samples"));
  }
}

// Sums of few bytes on disk, of recordings that have events of their own.
TEST(MergedProfileTest, PartsWithManyTypesHaveNoValuesOfOneAnother) {
  std::vector<std::string> parts;
  for (uint32_t part = 0; part < 4; ++part) {
    std::vector<std::string> profiles;
    for (uint32_t i = 0; i < 25; ++i) {
      ProfileMaker maker;
      for (int t = 0; t < 5; ++t) {
        maker.Type(absl::StrCat(part, "_", i, "_", t), "count");
      }
      for (uint32_t k = 0; k < 400; ++k) {
        maker.Sample({maker.Location(0, 400 * (25 * part + i) + k, {})},
                     {1, 2, 3, 4, 5});
      }
      profiles.push_back(maker.Bytes());
    }
    parts.push_back(Merge(profiles));
  }
  // With a value of each sample and type: 160 MB.
  Budget budget;
  MergedProfile merged(budget);
  const std::string sum = Merge(parts, &merged);
  EXPECT_LE(budget.used(Budget::kMemory), uint64_t{32} << 20);
  std::reverse(parts.begin(), parts.end());
  EXPECT_EQ(Merge({Merge({parts[0], parts[1]}), parts[2], parts[3]}), sum);
}

TEST(MergedProfileTest, SumsStayAtTheLargestValue) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  maker.Sample({maker.Location(0, 1, {"f"})}, {INT64_MAX - 1});
  const pb::Profile merged = Parse(Merge({maker.Bytes(), maker.Bytes()}));
  EXPECT_THAT(merged.sample(0).value(), ElementsAre(INT64_MAX));
}

TEST(MergedProfileTest, LabelsAreInOrderOfTheirKeysTexts) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  pb::Sample* sample = maker.Sample({}, {1});
  for (const char* key : {"z", "a", "z"}) {
    maker.Number(sample, key, sample->label_size(), "");
  }
  const pb::Profile merged = Parse(Merge({maker.Bytes()}));
  std::vector<std::string> labels;
  for (const pb::Label& label : merged.sample(0).label()) {
    labels.push_back(absl::StrCat(
        merged.string_table(static_cast<int>(label.key())), label.num()));
  }
  EXPECT_THAT(labels, ElementsAre("a1", "z0", "z2"));
}

TEST(MergedProfileTest, CommentsFollowTheRules) {
  const auto with = [](const std::vector<std::string>& comments) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    for (const std::string& comment : comments) maker.Comment(comment);
    return maker.Bytes();
  };
  const pb::Profile merged = Parse(
      Merge({with({"perf: 6.1", "host: a", "2 samples lost", "seen", "08 x"}),
             with({"host: b", "perf: 6.1", "3 samples lost", "seen"})}));
  std::vector<std::string> comments;
  for (const int64_t comment : merged.comment()) {
    comments.push_back(merged.string_table(static_cast<int>(comment)));
  }
  EXPECT_THAT(comments,
              ElementsAre("perf: 6.1", "5 samples lost", "08 x", "seen"));
}

TEST(MergedProfileTest, StacksOfZeroOneAndTwoLocationsAreKept) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t f = maker.Location(0, 1, {"f"});
  const uint64_t g = maker.Location(0, 2, {"g"});
  maker.Sample({}, {1});
  maker.Sample({f}, {2});
  maker.Sample({f, g}, {3});
  maker.Sample({g, f}, {4});
  maker.Sample({f, g}, {10});
  const pb::Profile merged = Parse(Merge({maker.Bytes()}));
  std::vector<std::string> samples;
  for (const pb::Sample& sample : merged.sample()) {
    std::string& text = samples.emplace_back(absl::StrCat(sample.value(0)));
    for (const uint64_t id : sample.location_id()) {
      absl::StrAppend(&text, " ", id);
    }
  }
  EXPECT_THAT(samples, ElementsAre("1", "2 1", "13 1 2", "4 2 1"));
}

}  // namespace
}  // namespace perf2x
