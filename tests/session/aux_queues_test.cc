// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_queues.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

class AuxQueuesTest : public ::testing::Test {
 protected:
  void Name(int32_t cpu, int32_t tid, uint64_t start, uint64_t end) {
    AuxRange range;
    range.cpu = cpu;
    range.tid = tid;
    range.start = start;
    range.end = end;
    range.offset = 7;
    queues_.AddRange(range);
  }
  uint64_t Data(int32_t cpu, int32_t tid, uint64_t start, size_t size) {
    return queues_.AddData(
        cpu, tid, start,
        {absl::MakeConstSpan(bytes_).subspan(0, size), BlockRef(), 1000});
  }
  // Texts of the ranges that are ready, which are removed.
  std::string Ready() {
    std::string text;
    while (queues_.has_ready()) {
      const AuxRange& range = queues_.ready();
      absl::StrAppend(&text, text.empty() ? "" : " ", range.cpu, "/", range.tid,
                      ":", range.start, "-", range.end,
                      range.place == nullptr ? "?" : "");
      queues_.RemoveReady();
    }
    return text;
  }
  uint64_t Repeated() { return queues_.TakeRepeated(&offset_); }
  uint64_t Unnamed() { return queues_.TakeUnnamed(&offset_); }

  const std::vector<uint8_t> bytes_ = std::vector<uint8_t>(1000, 'x');
  AuxQueues queues_;
  uint64_t offset_ = 0;
};

TEST_F(AuxQueuesTest, APlaceDoesNotWaitForAnother) {
  Name(1, 7, 0, 64);
  Name(0, 7, 0, 50);
  Data(0, -1, 0, 100);
  EXPECT_EQ(Ready(), "0/7:0-50");
  Name(0, 7, 50, 100);
  EXPECT_EQ(Ready(), "0/7:50-100");
  // The data of the first is not there, but later data is.
  Data(1, -1, 1000, 64);
  EXPECT_EQ(Ready(), "1/7:0-64");
}

TEST_F(AuxQueuesTest, DataMayBeOfAThread) {
  Name(3, 9, 10, 20);
  Name(2, 9, 0, 10);
  Name(2, 8, 0, 10);
  Data(-1, 9, 0, 20);
  EXPECT_EQ(Ready(), "3/9:10-20 2/9:0-10");
  Data(2, -1, 0, 10);
  EXPECT_EQ(Ready(), "2/8:0-10");
  Name(-1, -1, 0, 5);
  EXPECT_EQ(Ready(), "");
  queues_.EndRecords(false, false);
  EXPECT_EQ(Ready(), "-1/-1:0-5?");
}

TEST_F(AuxQueuesTest, RecordsWithoutCpuAreOfTheOnlyPlace) {
  Name(-1, 5, 0, 10);
  Name(1, 5, 0, 10);
  Data(0, -1, 0, 20);
  EXPECT_EQ(Ready(), "-1/5:0-10");
  Name(-1, -1, 10, 20);
  EXPECT_EQ(Ready(), "-1/-1:10-20");
  queues_.EndRecords(false, false);
  EXPECT_EQ(Ready(), "1/5:0-10?");
}

TEST_F(AuxQueuesTest, EachByteIsHandedOutOnce) {
  Data(0, -1, 0, 100);
  Name(0, 1, 20, 40);
  Name(0, 1, 0, 60);
  Name(0, 1, 0, 60);
  EXPECT_EQ(Ready(), "0/1:20-40 0/1:0-20 0/1:40-60");
  EXPECT_EQ(Repeated(), 80u);
  EXPECT_EQ(offset_, 7u);
  EXPECT_EQ(Repeated(), 0u);
  EXPECT_EQ(Data(0, -1, 50, 100), 50u);
  EXPECT_EQ(Unnamed(), 0u);
}

TEST_F(AuxQueuesTest, DataThatNoRecordNamesIsCounted) {
  Data(0, -1, 0, 10);
  Data(0, -1, 10, 20);
  Name(0, 1, 10, 25);
  EXPECT_EQ(Ready(), "0/1:10-25");
  EXPECT_EQ(Unnamed(), 10u);
  EXPECT_EQ(offset_, 1000u);
  Data(1, -1, 0, 100);
  queues_.EndRecords(false, false);
  EXPECT_EQ(Ready(), "");
  EXPECT_EQ(Unnamed(), 105u);
}

TEST_F(AuxQueuesTest, PaddingNeedsNoName) {
  const std::vector<uint8_t> padding = {1, 2, 3, 4, 5, 0, 0, 0};
  queues_.AddData(0, -1, 0, {padding, BlockRef(), 0});
  Name(0, 1, 0, 5);
  EXPECT_EQ(Ready(), "0/1:0-5");
  queues_.EndRecords(false, false);
  EXPECT_EQ(Unnamed(), 0u);
}

TEST_F(AuxQueuesTest, AllDataWithoutRecords) {
  Data(1, -1, 0, 10);
  Data(0, -1, 0, 10);
  Data(0, -1, 20, 10);
  EXPECT_EQ(Ready(), "");
  queues_.EndRecords(true, true);
  EXPECT_TRUE(queues_.ready().raw);
  EXPECT_EQ(Ready(), "0/-1:0-10 0/-1:20-30 1/-1:0-10");
  EXPECT_EQ(Unnamed(), 0u);
}

}  // namespace
}  // namespace perf2x
