// SPDX-License-Identifier: Apache-2.0
#include "converter/model/callchain_arena.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace perf2x {
namespace {

using Words = std::vector<uint64_t>;

constexpr uint64_t kKernel = static_cast<uint64_t>(-128);
constexpr uint64_t kUser = static_cast<uint64_t>(-512);

absl::Span<const uint8_t> BytesOf(const Words& words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size() * 8};
}

// Packs each chain like the one before it, and compares all at the end.
void CheckAll(const std::vector<Words>& chains) {
  CallchainArena arena;
  std::vector<const uint8_t*> packed;
  for (const Words& chain : chains) {
    packed.push_back(
        arena.Pack(BytesOf(chain), packed.empty() ? nullptr : packed.back()));
  }
  Words words;
  for (size_t i = 0; i < chains.size(); ++i) {
    arena.Unpack(packed[i], &words);
    ASSERT_EQ(words, chains[i]) << i;
  }
}

TEST(CallchainArenaTest, GivesBackWhatWasPacked) {
  const uint64_t a = 0x7f0012345678, b = 0x7f0012345690, c = 0x55d012345678;
  CheckAll({{},
            {kUser},
            {kUser, a, b, c},
            {kUser, a, b, c},           // the same again
            {kUser, b, b, c},           // only leaves differ
            {b, c},                     // all of it shared
            {kKernel, a, kUser, b, c},  // more than all of it
            {c, kUser},
            {a, c, kUser},  // what is shared begins with a marker
            {},
            {0, ~uint64_t{0}, uint64_t{1} << 63, 0}});
}

TEST(CallchainArenaTest, GivesBackRandomWalksOverChunks) {
  std::mt19937_64 random(1);
  std::vector<Words> chains;
  Words chain;  // leaf first
  size_t size = 0;
  while (size < (20 << 20)) {
    const size_t leave = std::min<size_t>(random() % 8, chain.size());
    chain.erase(chain.begin(), chain.begin() + static_cast<ptrdiff_t>(leave));
    for (size_t calls = random() % 8; calls > 0; --calls) {
      const uint64_t word = random() % 16 == 0 ? kUser : random() >> 17;
      chain.insert(chain.begin(), word);
    }
    if (random() % 1000 == 0) chain.resize(chain.size() / 2);
    chains.push_back(chain);
    size += chain.size() * 8;
  }
  CheckAll(chains);
}

TEST(CallchainArenaTest, KeepsOnlyWhatDiffers) {
  CallchainArena arena;
  Words chain(1000);
  for (size_t i = 0; i < chain.size(); ++i) chain[i] = 0x7f0000000000 + i * 999;
  const uint8_t* first = arena.Pack(BytesOf(chain), nullptr);
  chain[0] += 4;
  const uint8_t* second = arena.Pack(BytesOf(chain), first);
  EXPECT_LT(second - first, 2010);
  chain[0] += 4;
  const uint8_t* third = arena.Pack(BytesOf(chain), second);
  EXPECT_LT(third - second, 10);
  Words words;
  arena.Unpack(third, &words);
  EXPECT_EQ(words, chain);
}

TEST(CallchainArenaTest, GivesBackMoreWordsThanItNumbers) {
  std::vector<Words> chains;
  for (uint64_t i = 0; i < 3000; ++i) {
    chains.push_back({kUser});
    for (uint64_t k = 0; k < 10; ++k) {
      chains.back().push_back(0x550000000000 + (i * 10 + k) * 0x1234567);
    }
  }
  CheckAll(chains);
}

TEST(CallchainArenaTest, GivesBackWordsAtAnyDistance) {
  std::vector<Words> chains;
  for (uint64_t i = 0; i < (1 << 14); ++i) chains.push_back({i});  // numbered
  constexpr uint64_t kFar = uint64_t{1} << 63, kNear = uint64_t{1} << 40;
  for (const uint64_t i : {0, 1, 2, 8191, 8192, 8193}) {
    chains.push_back({kNear, kNear + kFar + i, kNear + 2 * i, kNear - i});
    chains.push_back({kFar + i, kNear, kFar - i, ~i, kNear});
  }
  CheckAll(chains);
}

// Chains packed before a word is common keep their meaning.
TEST(CallchainArenaTest, WordsThatComeOftenTakeOneByte) {
  CallchainArena arena;
  std::vector<Words> chains;
  std::vector<const uint8_t*> packed;
  for (uint64_t i = 0; i < 3000; ++i) {
    Words& chain = chains.emplace_back();
    for (uint64_t k = 0; k < 200; ++k) {
      chain.push_back(0x550000000000 + (i + k) % 200 * 0x1234567);
    }
    packed.push_back(arena.Pack(BytesOf(chain), nullptr));
  }
  EXPECT_EQ(packed[1] - packed[0], 400 + 4);
  // As many words as one byte numbers, besides 0.
  EXPECT_EQ(packed[2999] - packed[2998], 400 - 127 + 4);
  Words words;
  for (size_t i = 0; i < chains.size(); ++i) {
    arena.Unpack(packed[i], &words);
    ASSERT_EQ(words, chains[i]) << i;
  }
}

TEST(CallchainArenaTest, LikensNothingToAnEarlierChunk) {
  CallchainArena arena;
  const Words chain = {kUser, 1, 2, 3};
  const uint8_t* first = arena.Pack(BytesOf(chain), nullptr);
  const std::string filler(1 << 20, 'x');
  arena.StoreUnpacked(
      {reinterpret_cast<const uint8_t*>(filler.data()), filler.size()});
  const uint8_t* second = arena.Pack(BytesOf(chain), first);
  Words words;
  arena.Unpack(second, &words);
  EXPECT_EQ(words, chain);
}

TEST(CallchainArenaTest, PacksWordsOnlyAndNotTooMany) {
  EXPECT_TRUE(CallchainArena::CanPack(BytesOf(Words(8192))));
  EXPECT_FALSE(CallchainArena::CanPack(BytesOf(Words(8193))));
  EXPECT_FALSE(CallchainArena::CanPack(BytesOf(Words(1)).subspan(0, 7)));
}

}  // namespace
}  // namespace perf2x
