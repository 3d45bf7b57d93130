// SPDX-License-Identifier: Apache-2.0
#include "converter/base/block_pool.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "converter/base/huge_page_allocator.h"

namespace perf2x {
namespace {

TEST(BlockPoolTest, UsesTheMemoryOfADroppedBlockAgain) {
  BlockPool pool(100, 2);
  std::unique_ptr<BlockPool::PooledBlock> first = pool.Take(50);
  const uint8_t* memory = first->data();
  first->set_size(50);
  BlockRef held(std::move(first));
  BlockRef also(held);
  EXPECT_NE(pool.Take(100)->data(), memory) << "it is held";
  held = BlockRef();
  EXPECT_NE(pool.Take(100)->data(), memory) << "it is held still";
  std::thread([&] { also = BlockRef(); }).join();
  EXPECT_EQ(pool.Take(100)->data(), memory);
}

TEST(BlockPoolTest, GivesLargerBlocksMemoryOfTheirOwn) {
  BlockPool pool(100, 2);
  std::unique_ptr<BlockPool::PooledBlock> large = pool.Take(1000);
  std::fill_n(large->data(), 1000, uint8_t{1});  // the sanitizer looks
  large.reset();
  std::unique_ptr<BlockPool::PooledBlock> next = pool.Take(1000);
  std::fill_n(next->data(), 1000, uint8_t{1});
}

TEST(BlockPoolTest, BlocksOutliveThePool) {
  std::optional<BlockPool> pool(std::in_place, 100, 2);
  std::unique_ptr<BlockPool::PooledBlock> piece = pool->Take(1);
  pool->Take(1);
  pool.reset();
  *piece->data() = 1;
  piece->set_size(1);
  const BlockRef block(std::move(piece));
  EXPECT_EQ(block->bytes()[0], 1);
  EXPECT_FALSE(block->stable());
}

TEST(HugePageAllocatorTest, VectorsStartAtACacheLineAndLargeOnesAtAHugePage) {
  const auto place = [](const auto& v) {
    return reinterpret_cast<uintptr_t>(v.data());
  };
  const std::vector<char, HugePageAllocator<char>> small(10),
      large(5 << 20, 'x');
  EXPECT_EQ(place(small) % 64, 0);
  EXPECT_EQ(place(large) % (2 << 20), 0);
  EXPECT_EQ(large.back(), 'x');
}

}  // namespace
}  // namespace perf2x
