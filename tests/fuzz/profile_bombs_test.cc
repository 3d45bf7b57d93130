// SPDX-License-Identifier: Apache-2.0

// Small profiles that would take much time, memory or output.

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/profile_source/profile_maker.h"
#include "tests/support/bombs.h"
#include "tests/support/bounds.h"
#include "tests/support/compressed_file.h"

namespace perf2x {
namespace {

constexpr size_t kUnpacked = 60'000'000;

ByteVector BytesOfText(const std::string& s) { return {s.begin(), s.end()}; }

// The head of a profile with one location, and `field` over and over.
std::string ProfileOf(const ProfileMaker& maker, const std::string& field,
                      size_t size = kUnpacked) {
  std::string bytes = maker.Bytes();
  while (bytes.size() < size) bytes += field;
  return bytes;
}
ProfileMaker SmallProfile() {
  ProfileMaker maker;
  maker.Type("samples", "count");
  maker.Sample({maker.Location(0, 1, {"f"})}, {1});
  return maker;
}
std::string Field(int number, const std::string& bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7)
    out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
  return out + bytes;
}

ByteVector HugeStringTable() {
  return Gzipped(BytesOfText(
      ProfileOf(SmallProfile(), Field(6, std::string(1 << 20, 'a')))));
}
ByteVector EmptyStrings() {
  return Gzipped(BytesOfText(ProfileOf(SmallProfile(), Field(6, ""))));
}
ByteVector OneHugeString() {
  return Gzipped(BytesOfText(SmallProfile().Bytes() +
                             Field(6, std::string(kUnpacked, 'a'))));
}
ByteVector EmptySamples() {
  return Gzipped(BytesOfText(ProfileOf(SmallProfile(), Field(2, ""))));
}
ByteVector Comments() {
  return Gzipped(BytesOfText(
      ProfileOf(SmallProfile(), Field(13, std::string(1 << 16, '\1')))));
}

// One location with as many lines as fit, in as many samples as fit.
ByteVector LocationOfMillionsOfLines() {
  ProfileMaker maker;
  maker.Type("samples", "count");
  pb::Location* location = maker.profile().add_location();
  location->set_id(1);
  const uint64_t function = maker.Function("f");
  for (int i = 0; i < 200'000; ++i) {
    location->add_line()->set_function_id(function);
  }
  std::string sample(1, '\x0a');
  sample += std::string(1, '\x40') + std::string(64, '\1');
  return Gzipped(
      BytesOfText(ProfileOf(maker, Field(2, sample + "\x10\x01"), 20'000'000)));
}

// Every sample has labels of its own, so that nothing is summed.
ByteVector LabelBomb() {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t f = maker.Location(0, 1, {"f"});
  for (int i = 0; maker.profile().sample_size() < 60'000; ++i) {
    pb::Sample* sample = maker.Sample({f}, {1});
    maker.Number(sample, "pid", i, "pid");
    maker.Number(sample, "tid", i, "tid");
    maker.Number(sample, "n", i, "count");
  }
  return Gzipped(BytesOfText(maker.Bytes()));
}

// A name of a megabyte in every sample.
ByteVector LongStrings() {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const std::string name(1 << 20, 'n');
  const uint64_t f = maker.Location(0, 1, {name});
  for (int i = 0; i < 10'000; ++i) {
    pb::Sample* sample =
        maker.Sample(std::vector<uint64_t>(1 + i % 100, f), {1});
    maker.Label(sample, "thread", name);
    maker.Number(sample, "tid", i, "tid");
  }
  return Gzipped(BytesOfText(maker.Bytes()));
}

ByteVector HugeCounts() {
  ProfileMaker maker;
  maker.Type("samples", "count").Type("cpu", "nanoseconds");
  for (int i = 0; i < 1000; ++i) {
    maker.Sample({maker.Location(0, static_cast<uint64_t>(i), {"f"})},
                 {INT64_MAX, INT64_MAX});
  }
  return Gzipped(BytesOfText(maker.Bytes()));
}

// Every value type and every sample of each has an entry in tables.
ByteVector EmptyTypes() {
  return BytesOfText(ProfileOf(SmallProfile(), Field(1, ""), 980'000));
}
ByteVector TypesOfOneName() {
  const ProfileMaker maker = SmallProfile();
  return BytesOfText(ProfileOf(maker, Field(1, "\x08\x01\x10\x02"), 980'000));
}
ByteVector ManyTypesInManySamples() {
  ProfileMaker maker;
  for (int t = 0; t < 2048; ++t) maker.Type(absl::StrCat("t", t), "count");
  for (uint64_t i = 0; i < 20'000; ++i) {
    maker.Sample({maker.Location(0, i, {})}, std::vector<int64_t>(2048, 1));
  }
  return Gzipped(BytesOfText(maker.Bytes()));
}

// Stacks of a million frames, or of 100,000, each of which is another one.
ByteVector StacksOf(size_t frames) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  maker.Location(0, 1, {});
  maker.Location(0, 2, {});
  std::string bytes = maker.Bytes();
  for (uint32_t i = 0; bytes.size() < kUnpacked; ++i) {
    std::string stack(frames, '\1');
    for (size_t bit = 0; bit < 10; ++bit) {
      if ((i >> bit & 1) != 0) stack[frames - 1 - bit] = '\2';
    }
    bytes += Field(2, Field(1, stack) + "\x10\x01");
  }
  return Gzipped(BytesOfText(bytes));
}
ByteVector VeryDeepStacks() { return StacksOf(1'000'000); }
ByteVector ManyDeepStacks() { return StacksOf(100'000); }

constexpr Bomb kProfileBombs[] = {
    {"HugeStringTable", HugeStringTable},
    {"EmptyStrings", EmptyStrings},
    {"OneHugeString", OneHugeString},
    {"EmptySamples", EmptySamples},
    {"Comments", Comments},
    {"LocationOfMillionsOfLines", LocationOfMillionsOfLines},
    {"LabelBomb", LabelBomb},
    {"LongNames", LongStrings},
    {"HugeCounts", HugeCounts},
    {"EmptyTypes", EmptyTypes},
    {"TypesOfOneName", TypesOfOneName},
    {"ManyTypesInManySamples", ManyTypesInManySamples},
    {"VeryDeepStacks", VeryDeepStacks},
    {"ManyDeepStacks", ManyDeepStacks},
};

class ProfileBombsTest : public testing::TestWithParam<Bomb> {};

TEST_P(ProfileBombsTest, StaysWithinBounds) { ExpectWithinBounds(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Bombs, ProfileBombsTest,
                         testing::ValuesIn(kProfileBombs),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace perf2x
