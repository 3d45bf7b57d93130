// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/time_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace perf2x {
namespace {

constexpr auto kNoKey = [](TimedRecord* to) { to->key.event = kNoEvent; };
constexpr auto kNothing = [](const OrderedRecords&) {
  return absl::OkStatus();
};

// Feeds records named by their place and notes what comes out.
class TimeOrderTest : public testing::Test {
 protected:
  void Add(uint64_t time) {
    RawRecord record;
    record.type = kRecordSample;
    record.offset = next_++;
    record.block = &block_;
    EXPECT_TRUE(chosen_->Add(record, time, kNoKey, Sink()).ok());
  }
  void Round() {
    ++next_;
    EXPECT_TRUE(chosen_->EndRound(Sink()).ok());
  }
  std::string Taken() { return std::exchange(out_, ""); }
  std::string Finish() {
    EXPECT_TRUE(chosen_->Finish(Sink()).ok());
    return Taken();
  }

  void UseFullOrder() { chosen_ = &full_; }
  uint64_t out_of_order() const { return chosen_->out_of_order(); }

 private:
  std::function<absl::Status(const OrderedRecords&)> Sink() {
    return [this](const OrderedRecords& ordered) {
      for (const TimedRecord* record : ordered.records) {
        EXPECT_TRUE(ordered.BlockOf(*record) == block_);
        absl::StrAppend(&out_, out_.empty() ? "" : " ", record->time, "@",
                        record->offset);
      }
      return absl::OkStatus();
    };
  }
  TimeOrder by_round_{false, 0, Budget::Unlimited()};
  TimeOrder full_{true, 0, Budget::Unlimited()};
  TimeOrder* chosen_ = &by_round_;
  BlockRef block_{std::make_unique<MemoryBlock>(1)};
  uint64_t next_ = 0;
  std::string out_;
};

// The example of process_finished_round(), tools/perf/util/session.c.
TEST_F(TimeOrderTest, ReleasesUpToTheRoundBefore) {
  for (const uint64_t t : {1, 2, 3}) Add(t);  // buffer 0
  Add(4);                                     // buffer 1
  Round();
  EXPECT_EQ(Taken(), "");
  for (const uint64_t t : {5, 6, 7}) Add(t);
  Round();
  EXPECT_EQ(Taken(), "1@0 2@1 3@2 4@3");
  Add(8);
  Round();
  EXPECT_EQ(Taken(), "5@5 6@6 7@7");
  EXPECT_EQ(Finish(), "8@9");
  EXPECT_EQ(out_of_order(), 0u);
}

TEST_F(TimeOrderTest, MergesBuffers) {
  for (const uint64_t t : {10, 20, 30, 5, 25, 35, 1, 2, 40}) Add(t);
  EXPECT_EQ(Finish(), "1@6 2@7 5@3 10@0 20@1 25@4 30@2 35@5 40@8");
}

TEST_F(TimeOrderTest, EqualTimesKeepTheirOrder) {
  for (const uint64_t t : {7, 7, 3, 7, 3, 7}) Add(t);
  EXPECT_EQ(Finish(), "3@2 3@4 7@0 7@1 7@3 7@5");
}

TEST_F(TimeOrderTest, MergesManyBuffersOverSeveralRounds) {
  // Buffer b has the times b, b + 10, …, each later one half a round behind.
  std::vector<uint64_t> times;
  for (uint64_t round = 0; round < 5; ++round) {
    for (const uint64_t b : {7, 3, 9, 1, 5}) {
      for (uint64_t i = 0; i < 4; ++i) {
        times.push_back(round * 40 + i * 10 + b * (b > 5 ? 3 : 1));
        Add(times.back());
      }
    }
    Round();
  }
  std::vector<uint64_t> given;
  for (const absl::string_view one : absl::StrSplit(Finish(), ' ')) {
    given.push_back(0);
    ASSERT_TRUE(absl::SimpleAtoi(one.substr(0, one.find('@')), &given.back()));
  }
  std::sort(times.begin(), times.end());
  EXPECT_EQ(given, times);
  EXPECT_EQ(out_of_order(), 0u);
}

TEST_F(TimeOrderTest, LateRecordsAreCountedAndKept) {
  Add(10);
  Round();
  Add(20);
  Round();
  EXPECT_EQ(Taken(), "10@0");
  Add(5);
  Round();
  EXPECT_EQ(Taken(), "5@4 20@2");
  EXPECT_EQ(out_of_order(), 1u);
}

TEST_F(TimeOrderTest, FullOrderIgnoresRounds) {
  UseFullOrder();
  Add(10);
  Round();
  Add(5);
  Round();
  EXPECT_EQ(Taken(), "");
  EXPECT_EQ(Finish(), "5@2 10@0");
}

// More than may be held goes to a temporary file; what comes out is the same.
TEST(TimeOrderSpillTest, GivesTheSameFromAFile) {
  constexpr uint64_t kBlocks = 64, kInBlock = 4096;
  for (const bool full : {false, true}) {
    std::vector<std::vector<uint64_t>> given(2);
    for (const uint64_t memory : {uint64_t{0}, ~uint64_t{0}}) {
      TimeOrder order(full, memory, Budget::Unlimited());
      std::vector<uint64_t>& out = given[memory != 0];
      const auto take = [&](const OrderedRecords& ordered) {
        for (const TimedRecord* record : ordered.records) {
          uint64_t word;
          std::memcpy(&word, record->body, 8);
          // The bytes are those of the record, wherever they lie by now.
          EXPECT_EQ(word, record->index);
          const BlockRef& in = ordered.BlockOf(*record);
          EXPECT_GE(record->body, in->bytes().data());
          EXPECT_LE(record->body + record->size, in->bytes().end());
          out.push_back(record->time);
          out.push_back(record->index);
        }
        return absl::OkStatus();
      };
      uint64_t index = 0;
      for (uint64_t b = 0; b < kBlocks; ++b) {
        auto memory_block = std::make_unique<MemoryBlock>(kInBlock * 16);
        memory_block->set_size(kInBlock * 16);
        uint8_t* data = memory_block->data();
        std::memset(data, 0, kInBlock * 16);
        const BlockRef block(std::move(memory_block));
        for (uint64_t i = 0; i < kInBlock; ++i, ++index) {
          std::memcpy(data + i * 16, &index, 8);
          RawRecord record;
          record.type = kRecordSample;
          record.body = {data + i * 16, 16};
          record.index = index;
          record.block = &block;
          const uint64_t time = b / 8 * 100'000 + (index * 7919) % 90'000;
          ASSERT_TRUE(order.Add(record, time + 1, kNoKey, take).ok());
        }
        if (b % 8 == 7) {
          ASSERT_TRUE(order.EndRound(take).ok());
        }
      }
      ASSERT_TRUE(order.Finish(take).ok());
      ASSERT_EQ(out.size(), 2 * kBlocks * kInBlock);
      EXPECT_EQ(order.out_of_order(), 0u);
    }
    EXPECT_TRUE(given[0] == given[1]);
  }
}

// A few bytes of input that decompress to many records cannot fill the disk.
TEST(TimeOrderSpillTest, PassesOnWhatTheFileHasNoRoomFor) {
  constexpr uint64_t kRecords = 4'000'000;
  Budget budget;
  const uint64_t room = budget.Limit(Budget::kOutput) / 2;
  ASSERT_LT(room, kRecords * sizeof(TimedRecord) / 2);
  TimeOrder order(true, 0, budget);
  const BlockRef block(std::make_unique<MemoryBlock>(8));
  uint64_t taken = 0, most_waiting = 0, newest = 0, descents = 0;
  const auto take = [&](const OrderedRecords& ordered) {
    for (const TimedRecord* record : ordered.records) {
      descents += record->time < newest;
      newest = record->time;
      ++taken;
    }
    return absl::OkStatus();
  };
  RawRecord record;
  record.type = kRecordSample;
  record.block = &block;
  for (uint64_t i = 0; i < kRecords; ++i) {
    ASSERT_TRUE(order.Add(record, i % 1000 + 1, kNoKey, take).ok());
    most_waiting = std::max(most_waiting, i + 1 - taken);
  }
  EXPECT_LE(most_waiting * sizeof(TimedRecord), room + (8 << 20));
  EXPECT_GT(order.out_of_order(), 0u);
  EXPECT_GT(taken, kRecords / 2);
  ASSERT_TRUE(order.Finish(take).ok());
  EXPECT_EQ(taken, kRecords);
  // In order but where the file was full: every time that `room` came.
  EXPECT_LE(descents, kRecords * sizeof(TimedRecord) / room);
}

TEST(TimeOrderSpillTest, SaysWhenThereIsNoPlace) {
  const char* folder = std::getenv("TMPDIR");
  const std::string before = folder == nullptr ? "" : folder;
  setenv("TMPDIR", "/nonexistent", 1);
  TimeOrder order(true, 0, Budget::Unlimited());
  const BlockRef block(std::make_unique<MemoryBlock>(8));
  RawRecord record;
  record.type = kRecordSample;
  record.block = &block;
  absl::Status status;
  for (int i = 0; i < 1'000'000 && status.ok(); ++i) {
    status = order.Add(record, 5, kNoKey, kNothing);
  }
  if (folder == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", before.c_str(), 1);
  }
  EXPECT_NE(status.message().find("/nonexistent/perf2x-"), std::string::npos)
      << status;
}

}  // namespace
}  // namespace perf2x
