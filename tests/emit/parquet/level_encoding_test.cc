// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/level_encoding.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "converter/emit/parquet/number_dictionary.h"

namespace perf2x {
namespace {

std::string Hybrid(int width, const std::vector<uint32_t>& numbers) {
  std::string out;
  AppendHybrid(numbers, width, &out);
  return absl::BytesToHexString(out);
}

// The example of parquet-format's Encodings.md: 0 to 7 in three bits each.
TEST(LevelEncodingTest, PacksBitsLowestFirst) {
  EXPECT_EQ(Hybrid(3, {0, 1, 2, 3, 4, 5, 6, 7}), "0388c6fa");
}

TEST(LevelEncodingTest, ARunIsItsLengthAndValue) {
  EXPECT_EQ(Hybrid(1, std::vector<uint32_t>(100, 1)), "c80101");
  EXPECT_EQ(Hybrid(12, std::vector<uint32_t>(8, 0x123)), "102301");
}

// A run begins where the literals before it are a whole group.
TEST(LevelEncodingTest, ARunAfterLiteralsFillsTheirGroup) {
  std::vector<uint32_t> numbers = {1, 0, 1};
  numbers.insert(numbers.end(), 5 + 9, 0);
  EXPECT_EQ(Hybrid(1, numbers), "03051200");
}

TEST(LevelEncodingTest, TheLastGroupIsFilledWithZeros) {
  EXPECT_EQ(Hybrid(2, {3, 1, 2}), "032700");
}

// Three numbers of 24 bits do not end where a word of memory does.
TEST(LevelEncodingTest, BitsCrossWords) {
  EXPECT_EQ(Hybrid(24, {0x030201, 0x060504, 0x090807, 0x0c0b0a}),
            "03"
            "0102030405060708090a0b0c"
            "000000000000000000000000");
  EXPECT_EQ(Hybrid(32, {~0u, 1, 2}),
            "03"
            "ffffffff0100000002000000"
            "0000000000000000000000000000000000000000");
}

std::string Encoded(const Levels& levels) {
  std::string out;
  levels.AppendTo(&out);
  return absl::BytesToHexString(out);
}

TEST(LevelEncodingTest, LevelsHaveTheirSizeBeforeThem) {
  Levels levels;
  EXPECT_EQ(Encoded(levels), "00000000");
  for (int i = 0; i < 10; ++i) levels.Add(1);
  EXPECT_EQ(Encoded(levels), "020000001401");
  levels.Add(1, 300);
  EXPECT_EQ(Encoded(levels), "03000000ec0401");
  levels.clear();
  levels.Add(0, 3);
  EXPECT_EQ(levels.size(), 3u);
  EXPECT_EQ(Encoded(levels), "020000000600");
}

TEST(LevelEncodingTest, LevelsThatDifferAreInOrder) {
  Levels levels;
  levels.Add(1, 2);
  levels.Add(0);
  levels.Add(1, 5);
  levels.Add(0, 100);
  EXPECT_EQ(levels.size(), 108u);
  EXPECT_EQ(Encoded(levels), "0500000003fbc80100");
}

// The examples of parquet-format's Encodings.md.
TEST(LevelEncodingTest, DifferencesHaveABlockAndMiniblocks) {
  std::string out;
  AppendDeltas({1, 2, 3, 4, 5}, &out);
  // 128 in a block of 4, 5 numbers, the first one 1; least difference 1, no
  // bits.
  EXPECT_EQ(absl::BytesToHexString(out),
            "800104050202"
            "00000000");
  out.clear();
  AppendDeltas({7, 5, 3, 1, 2, 3, 4, 5}, &out);
  EXPECT_EQ(absl::BytesToHexString(out),
            "8001040"
            "80e03"
            "02000000"
            "c03f000000000000");
}

TEST(LevelEncodingTest, DifferencesWrapAround) {
  std::string out;
  AppendDeltas({0, ~uint64_t{0}, 0}, &out);
  EXPECT_EQ(absl::BytesToHexString(out),
            "80010403000102000000"
            "0800000000000000");
}

TEST(NumberDictionaryTest, KeepsDistinctNumbersInOrderOfAppearance) {
  std::vector<uint64_t> numbers;
  for (int i = 0; i < 100; ++i) numbers.push_back(i % 3 == 0 ? 7 : 5);
  NumberDictionary dictionary;
  // It has nothing of the numbers before.
  ASSERT_TRUE(dictionary.Build(std::vector<uint64_t>(9, 3)));
  ASSERT_TRUE(dictionary.Build(numbers));
  EXPECT_EQ(dictionary.distinct(), (std::vector<uint64_t>{7, 5}));
  ASSERT_EQ(dictionary.indexes().size(), 100u);
  EXPECT_EQ(dictionary.indexes()[0], 0u);
  EXPECT_EQ(dictionary.indexes()[1], 1u);
  EXPECT_EQ(dictionary.indexes()[99], 0u);
}

TEST(NumberDictionaryTest, IsNotForNumbersThatDiffer) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < 10000; ++i) numbers.push_back(i * i);
  EXPECT_FALSE(NumberDictionary().Build(numbers));
  EXPECT_FALSE(NumberDictionary().Build({}));
  EXPECT_FALSE(NumberDictionary().Build({1, 2}));
}

}  // namespace
}  // namespace perf2x
