// SPDX-License-Identifier: Apache-2.0
#include "converter/base/block.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "converter/base/mapped_block.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

class Counted final : public Block {
 public:
  explicit Counted(int* live) : Block(true), live_(live) { ++*live_; }
  ~Counted() override { --*live_; }

 private:
  int* live_;
};

TEST(BlockRefTest, LastReferenceFreesTheBlock) {
  int live = 0;
  BlockRef a(std::make_unique<Counted>(&live));
  {
    BlockRef b = a;
    a = BlockRef();
    EXPECT_EQ(live, 1);
    BlockRef c = std::move(b);
    EXPECT_FALSE(b);
    EXPECT_TRUE(c->stable());
  }
  EXPECT_EQ(live, 0);
}

TEST(BlockRefTest, AssignmentToItselfKeepsTheBlock) {
  int live = 0;
  BlockRef a(std::make_unique<Counted>(&live));
  BlockRef& same = a;
  a = same;
  EXPECT_EQ(live, 1);
}

TEST(MappedBlockTest, WhatWasReleasedComesAgain) {
  const TempFolder folder;
  const std::string path = folder.File("mapped");
  const std::string text(50'001, 'x');
  std::ofstream(path) << text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const BlockRef block = MapFile(fd, 0, text.size(), /*stable=*/true);
  ASSERT_TRUE(block);
  const absl::Span<const uint8_t> bytes = block->bytes();
  for (const absl::Span<const uint8_t> part :
       {bytes, bytes.subspan(1), bytes.subspan(5000, 40'000),
        bytes.subspan(4096, 1), bytes.subspan(bytes.size())}) {
    block->Release(part);
    block->Populate(part);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text);
  }
  close(fd);
}

TEST(MemoryBlockTest, HoldsWhatWasFilled) {
  auto block = std::make_unique<MemoryBlock>(8);
  EXPECT_EQ(block->capacity(), 8);
  block->data()[0] = 7;
  block->set_size(1);
  BlockRef ref(std::move(block));
  ASSERT_EQ(ref->bytes().size(), 1);
  EXPECT_EQ(ref->bytes()[0], 7);
  EXPECT_FALSE(ref->stable());
}

}  // namespace
}  // namespace perf2x
