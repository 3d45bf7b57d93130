// SPDX-License-Identifier: Apache-2.0
#include "converter/model/stack_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

StackId Add(StackTable& table, AddressSpaceId space,
            const std::vector<uint64_t>& words) {
  const absl::Span<const uint8_t> chain(
      reinterpret_cast<const uint8_t*>(words.data()), words.size() * 8);
  return table.Intern(StackTable::HashOf(space, chain), space, chain, false);
}

TEST(StackTableTest, EqualChainsOfOneLayoutAreOneStack) {
  StackTable table;
  EXPECT_EQ(Add(table, 0, {1, 2}), 0u);
  EXPECT_EQ(Add(table, 0, {1, 2}), 0u);
  EXPECT_EQ(Add(table, 0, {2, 1}), 1u);
  EXPECT_EQ(Add(table, 1, {1, 2}), 2u);
  EXPECT_EQ(Add(table, 0, {}), 3u);
  EXPECT_EQ(table.size(), 4);
}

TEST(StackTableTest, KeepsCopiesOfBytesThatMove) {
  StackTable table;
  for (uint64_t i = 0; i < 100'000; ++i) {
    ASSERT_EQ(Add(table, static_cast<AddressSpaceId>(i % 7), {i, ~i}), i);
  }
  std::vector<uint64_t> room;
  for (uint64_t i = 0; i < 100'000; ++i) {
    ASSERT_EQ(Add(table, static_cast<AddressSpaceId>(i % 7), {i, ~i}), i);
    uint64_t words[2];
    const auto chain = table.callchain(static_cast<StackId>(i), &room);
    ASSERT_EQ(chain.size(), sizeof(words));
    std::memcpy(words, chain.data(), sizeof(words));
    ASSERT_EQ(words[1], ~i);
    ASSERT_EQ(table.address_space(static_cast<StackId>(i)), i % 7);
  }
}

TEST(StackTableTest, BeginsAnewWithFurtherIds) {
  StackTable table;
  const uint64_t empty = table.memory();
  std::vector<uint64_t> room;
  for (StackId round = 0; round < 3; ++round) {
    constexpr StackId kStacks = 300'000;  // more than a chunk
    for (uint64_t i = 0; i < kStacks; ++i) {
      // The second time, the table has them.
      for (int again = 0; again < 2; ++again) {
        ASSERT_EQ(Add(table, 0, {i, i, ~i}), round * kStacks + i);
      }
    }
    EXPECT_EQ(table.begin(), round * kStacks);
    EXPECT_EQ(table.callchain_words(table.begin()), 3u);
    EXPECT_EQ(table.callchain(table.size() - 1, &room).size(), 24u);
    EXPECT_EQ(room[0], kStacks - 1);
    EXPECT_GT(table.memory(), kStacks * 64);
    table.FreeAll();
    EXPECT_EQ(table.memory(), empty);
    EXPECT_EQ(table.callchain_words(table.begin() - 1), 0u);
  }
}

TEST(StackTableTest, GivesAddressesBehindMarkersAsTheyCame) {
  StackTable table;
  constexpr uint64_t kUserMarker = -512, kLeast = -4095, kLow = 0 - (1u << 31);
  std::vector<uint64_t> room;
  for (const uint64_t first : {kUserMarker, kLeast, kLow, ~uint64_t{0}}) {
    for (const uint64_t second : {uint64_t{0}, uint64_t{0x401000}, first}) {
      const StackId id = Add(table, 0, {first, second});
      const auto chain = table.callchain(id, &room);
      ASSERT_EQ(chain.size(), 16);
      uint64_t words[2];
      std::memcpy(words, chain.data(), sizeof(words));
      EXPECT_EQ(words[0], first);
      EXPECT_EQ(words[1], second);
    }
  }
}

TEST(StackTableTest, KeepsWhatIsNotForgotten) {
  constexpr uint64_t kStacks = 200'000, kWords = 5;
  const auto words_of = [](uint64_t i) {
    return std::vector<uint64_t>{i, ~i, i * i, i / 3, i / 1000};
  };
  StackTable table;
  for (uint64_t i = 0; i < kStacks; ++i) {
    ASSERT_EQ(Add(table, static_cast<AddressSpaceId>(i % 3), words_of(i)), i);
  }
  table.DropIndex();
  std::vector<uint64_t> room;
  for (uint64_t i = 0; i < kStacks; ++i) {
    const auto id = static_cast<StackId>(i);
    table.FreeBelow(id);
    for (const uint64_t later : {i, std::min(i + 1000, kStacks - 1)}) {
      const auto chain = table.callchain(static_cast<StackId>(later), &room);
      ASSERT_EQ(chain.size(), kWords * 8);
      ASSERT_EQ(std::memcmp(chain.data(), words_of(later).data(), kWords * 8),
                0);
    }
    ASSERT_EQ(table.address_space(id), i % 3);
  }
}

TEST(StackTableTest, RefersToStableBytes) {
  StackTable table;
  const uint8_t bytes[8] = {1};
  const StackId id = table.Intern(StackTable::HashOf(0, bytes), 0, bytes, true);
  std::vector<uint64_t> room;
  EXPECT_EQ(table.callchain(id, &room).data(), bytes);
}

TEST(StackTableTest, KeepsAChainLongerThanAChunk) {
  StackTable table;
  const std::vector<uint64_t> words(200'000, 7);
  std::vector<uint64_t> room;
  EXPECT_EQ(table.callchain(Add(table, 0, words), &room).size(),
            words.size() * 8);
}

// Neighbouring addresses in neighbouring address spaces: the address space must
// not make up for the difference of the addresses.
TEST(StackTableTest, TellsAddressesAndLayoutsApart) {
  StackTable table;
  constexpr uint64_t kAddresses = 1024;
  constexpr AddressSpaceId kSpaces = 1024;
  for (AddressSpaceId space = 0; space < kSpaces; ++space) {
    for (uint64_t i = 0; i < kAddresses; ++i) {
      Add(table, space, {kContextUser, 0x401000 + i});
    }
  }
  EXPECT_EQ(table.size(), kAddresses * kSpaces);
}

}  // namespace
}  // namespace perf2x
