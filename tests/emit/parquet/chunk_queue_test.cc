// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/chunk_queue.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "converter/emit/parquet/chunk_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace perf2x {
namespace {

using ::testing::ElementsAreArray;

// Notes the chunks that it gets. Fails at the one with number `fails_at`.
class Notes : public ChunkQueue::Receiver {
 public:
  absl::Status OnChunk(size_t column, EncodedChunk chunk,
                       ColumnCells cells) override {
    columns.push_back(column);
    pages.push_back(std::move(chunk.pages));
    values.push_back(cells.numbers.size());
    return columns.size() == fails_at ? absl::DataLossError("no room")
                                      : absl::OkStatus();
  }

  size_t fails_at = 0;
  std::vector<size_t> columns, values;
  std::vector<std::string> pages;
};

ColumnCells Numbers(uint64_t count) {
  ChunkBuilder builder({.name = "nr", .type = Column::Type::kNumber});
  for (uint64_t i = 0; i < count; ++i) builder.Add(i, Cell::Number(i * i));
  ColumnCells cells;
  builder.Take(count, &cells);
  return cells;
}

void PushAll(size_t helpers, Notes* notes) {
  HelperPool pool("test", helpers);
  ChunkQueue queue(&pool);
  for (uint64_t i = 0; i < 300; ++i) {
    ASSERT_TRUE(queue.Push(*notes, i, Numbers(1000 + i)).ok());
  }
  ASSERT_TRUE(queue.Finish().ok());
}

TEST(ChunkQueueTest, GivesChunksInOrderForAnyNumberOfThreads) {
  Notes alone, helped;
  PushAll(0, &alone);
  PushAll(3, &helped);
  std::vector<size_t> in_order(300);
  for (size_t i = 0; i < in_order.size(); ++i) in_order[i] = i;
  EXPECT_THAT(alone.columns, ElementsAreArray(in_order));
  EXPECT_THAT(helped.columns, ElementsAreArray(in_order));
  EXPECT_EQ(alone.values, helped.values);
  EXPECT_EQ(alone.pages, helped.pages);
}

TEST(ChunkQueueTest, NoChunkFollowsAnError) {
  for (const size_t helpers : {0, 2}) {
    Notes notes;
    notes.fails_at = 5;
    HelperPool pool("test", helpers);
    ChunkQueue queue(&pool);
    absl::Status status;
    for (uint64_t i = 0; i < 300 && status.ok(); ++i) {
      status = queue.Push(notes, i, Numbers(10));
    }
    EXPECT_EQ(status.message(), "no room");
    EXPECT_EQ(notes.columns.size(), 5u);
  }
}

}  // namespace
}  // namespace perf2x
