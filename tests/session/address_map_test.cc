// SPDX-License-Identifier: Apache-2.0
#include "converter/session/address_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "converter/session/flat_maps.h"

namespace perf2x {
namespace {

class AddressMapTest : public testing::Test {
 protected:
  void Insert(uint64_t start, uint64_t end, DsoId dso, uint64_t offset = 0) {
    map_.Insert({start, end, offset, dso, dso}, arena_);
  }
  // The file at `address`, or -1.
  static int FileAt(const AddressMap& map, uint64_t address) {
    const MapEntry* entry = map.Find(address);
    return entry == nullptr ? -1 : static_cast<int>(entry->dso);
  }
  int FileAt(uint64_t address) const { return FileAt(map_, address); }

  AddressMap::Arena arena_;
  AddressMap map_;
};

TEST_F(AddressMapTest, FindsWhatCoversAnAddress) {
  Insert(100, 200, 1);
  Insert(300, 400, 2);
  EXPECT_EQ(FileAt(99), -1);
  EXPECT_EQ(FileAt(100), 1);
  EXPECT_EQ(FileAt(199), 1);
  EXPECT_EQ(FileAt(200), -1);
  EXPECT_EQ(FileAt(300), 2);
  EXPECT_EQ(FileAt(400), -1);
}

TEST_F(AddressMapTest, NewMappingSplitsTheOneItFallsInto) {
  Insert(100, 400, 1, 0x1000);
  Insert(200, 300, 2);
  EXPECT_EQ(FileAt(199), 1);
  EXPECT_EQ(FileAt(200), 2);
  EXPECT_EQ(FileAt(299), 2);
  EXPECT_EQ(FileAt(300), 1);
  // What is left behind the hole keeps its place in the file.
  EXPECT_EQ(map_.Find(300)->start, 300u);
  EXPECT_EQ(map_.Find(300)->offset, 0x1000u + 200);
  EXPECT_EQ(map_.Find(150)->offset, 0x1000u);
}

TEST_F(AddressMapTest, NewMappingCutsItsNeighboursAndCoversOthers) {
  Insert(100, 200, 1);
  Insert(200, 250, 2);
  Insert(250, 400, 3);
  Insert(150, 300, 4);
  EXPECT_EQ(FileAt(149), 1);
  EXPECT_EQ(FileAt(150), 4);
  EXPECT_EQ(FileAt(220), 4);
  EXPECT_EQ(FileAt(299), 4);
  EXPECT_EQ(FileAt(300), 3);
  EXPECT_EQ(map_.Find(300)->offset, 50u);
}

TEST_F(AddressMapTest, EmptyAndInvertedRangesChangeNothing) {
  Insert(100, 200, 1);
  Insert(150, 150, 2);
  Insert(180, 120, 2);
  map_.Erase(180, 120, arena_);
  EXPECT_EQ(FileAt(150), 1);
  EXPECT_EQ(FileAt(180), 1);
}

TEST_F(AddressMapTest, CoversTheTopOfTheAddressSpace) {
  Insert(0xffffffff81000000, ~uint64_t{0}, 1);
  Insert(0xffffffffc0000000, 0xffffffffc0001000, 2);
  EXPECT_EQ(FileAt(0xffffffff81000000), 1);
  EXPECT_EQ(FileAt(0xffffffffc0000800), 2);
  EXPECT_EQ(FileAt(0xffffffffff000000), 1);
}

TEST_F(AddressMapTest, OldVersionsStayAsTheyWere) {
  Insert(100, 200, 1);
  const AddressMap before = map_;
  arena_.Freeze();
  Insert(150, 300, 2);
  const AddressMap between = map_;
  arena_.Freeze();
  map_.Erase(0, 1000, arena_);
  EXPECT_EQ(FileAt(before, 150), 1);
  EXPECT_EQ(FileAt(before, 250), -1);
  EXPECT_EQ(FileAt(between, 150), 2);
  EXPECT_EQ(FileAt(between, 120), 1);
  EXPECT_TRUE(map_.empty());
  EXPECT_FALSE(before == between);
}

// Against a table with one cell an address.
TEST_F(AddressMapTest, AgreesWithATableOfAllAddresses) {
  constexpr uint64_t kSize = 300;
  std::mt19937 random(7);
  struct Version {
    AddressMap map;
    std::vector<int> cells;
  };
  std::vector<Version> versions;
  std::vector<int> cells(kSize, -1);
  for (int step = 0; step < 3000; ++step) {
    const uint64_t start = random() % kSize;
    const uint64_t end = std::min<uint64_t>(kSize, start + random() % 40);
    if (random() % 4 == 0) {
      map_.Erase(start, end, arena_);
      std::fill(cells.begin() + start, cells.begin() + end, -1);
    } else {
      Insert(start, end, step);
      std::fill(cells.begin() + start, cells.begin() + end, step);
    }
    if (random() % 20 == 0) {
      versions.push_back({map_, cells});
      arena_.Freeze();
    }
  }
  ASSERT_GT(versions.size(), 50u);
  for (const Version& version : versions) {
    FlatMap flat(version.map);
    std::vector<const MapEntry*> entries;
    version.map.AppendEntries(&entries);
    ASSERT_EQ(entries.size(), version.map.size());
    for (uint64_t at = 0; at < kSize; ++at) {
      ASSERT_EQ(FileAt(version.map, at), version.cells[at]) << at;
      const FlatMap::Entry* found = flat.Find(at);
      ASSERT_EQ(found == nullptr ? -1 : static_cast<int>(found->dso),
                version.cells[at])
          << at;
    }
  }
}

TEST_F(AddressMapTest, FlatCopiesAreMadeOfWhatIsSearchedOften) {
  FlatMapCache flat_maps;
  for (uint64_t i = 0; i < 50; ++i) Insert(i * 100, i * 100 + 50, i);
  arena_.Freeze();
  EXPECT_EQ(flat_maps.FlatCopyOf(7, map_, 30), nullptr);
  FlatMap* flat = flat_maps.FlatCopyOf(7, map_, 30);
  ASSERT_NE(flat, nullptr);
  EXPECT_EQ(flat->Find(4949)->dso, 49u);
  EXPECT_EQ(flat->Find(4950), nullptr);
  EXPECT_EQ(flat_maps.FlatCopyOf(7, map_, 1), flat);
  // Another version is another map.
  Insert(0, 50, 99);
  EXPECT_EQ(flat_maps.FlatCopyOf(8, map_, 1), nullptr);
  FlatMap* none = flat_maps.FlatCopyOf(9, AddressMap(), 1);
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(none->Find(0), nullptr);
}

// Many versions of a large map do not add up.
TEST_F(AddressMapTest, FlatCopiesAreOfSoManyEntriesAtMost) {
  FlatMapCache flat_maps;
  constexpr uint32_t kEntries = 1 << 14, kVersions = 100;
  for (uint64_t i = 0; i < kEntries; ++i) Insert(i * 100, i * 100 + 50, i);
  arena_.Freeze();
  for (uint32_t version = 0; version < kVersions; ++version) {
    FlatMap* flat = flat_maps.FlatCopyOf(version, map_, kEntries);
    ASSERT_NE(flat, nullptr);
    EXPECT_EQ(flat->Find(4949)->dso, 49u);
  }
  int kept = 0;
  for (uint32_t version = 0; version < kVersions; ++version) {
    kept += flat_maps.FlatCopyOf(version, map_, 0) != nullptr;
  }
  EXPECT_GT(kept, 0);
  EXPECT_LE(kept, 8);
}

// Neither do those of many small ones.
TEST_F(AddressMapTest, FlatCopiesOfSmallMapsCountAsWell) {
  FlatMapCache flat_maps;
  constexpr uint32_t kVersions = 100'000;
  Insert(0, 50, 1);
  arena_.Freeze();
  for (uint32_t version = 0; version < kVersions; ++version) {
    ASSERT_NE(flat_maps.FlatCopyOf(version, map_, 1), nullptr);
  }
  uint32_t kept = 0;
  for (uint32_t version = 0; version < kVersions; ++version) {
    kept += flat_maps.FlatCopyOf(version, map_, 0) != nullptr;
  }
  EXPECT_GT(kept, 0u);
  EXPECT_LT(kept, kVersions / 3);
}

// The order of mappings cannot be made to fit the priorities of the tree: these
// come in the order of those that a known generator gives.
TEST_F(AddressMapTest, NoOrderOfMappingsMakesItDeep) {
  constexpr uint64_t kMaps = 3000;
  std::vector<std::pair<uint32_t, uint64_t>> priorities;
  uint32_t random = 2463534242u;
  for (uint64_t i = 0; i < kMaps; ++i) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    priorities.emplace_back(~random, i);
  }
  std::vector<std::pair<uint32_t, uint64_t>> sorted = priorities;
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint64_t> rank(kMaps);
  for (uint64_t k = 0; k < kMaps; ++k) rank[sorted[k].second] = k;
  for (uint64_t i = 0; i < kMaps; ++i) {
    Insert((rank[i] + 1) << 13, ((rank[i] + 1) << 13) + 4096, 1);
    arena_.Freeze();
  }
  EXPECT_EQ(map_.size(), kMaps);
  // A change copies the path to it; were the tree a list, half of all nodes.
  EXPECT_LT(arena_.memory(), kMaps * 100 * sizeof(MapEntry) * 3);
}

TEST_F(AddressMapTest, TheSameEntryAgainChangesNothing) {
  Insert(100, 200, 1, 5);
  arena_.Freeze();
  const AddressMap before = map_;
  Insert(100, 200, 1, 5);
  EXPECT_TRUE(map_ == before);
  Insert(100, 200, 1, 6);
  EXPECT_FALSE(map_ == before);
}

}  // namespace
}  // namespace perf2x
