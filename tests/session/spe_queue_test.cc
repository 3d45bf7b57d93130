// SPDX-License-Identifier: Apache-2.0
#include "converter/session/spe_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace perf2x {
namespace {

using Bytes = std::vector<uint8_t>;

// Eight loads, with times.
Bytes Loads() {
  Bytes trace;
  for (uint8_t i = 0; i < 8; ++i) {
    for (const uint8_t byte : {uint8_t{0xb0}, i, uint8_t{0x10}}) {
      trace.push_back(byte);
    }
    trace.insert(trace.end(), 6, 0);
    trace.insert(trace.end(), {0x49, 0, 0x52, 0xff, 0xff, 0x71, i});
    trace.insert(trace.end(), 7, 0);
  }
  return trace;
}

class SpeQueueTest : public ::testing::Test {
 protected:
  void Add(absl::Span<const uint8_t> trace, uint64_t place) {
    queue_.Add(trace, BlockRef(), 1000 + place, place);
  }
  std::string Pcs() {
    std::string text;
    while (queue_.Advance()) {
      absl::StrAppend(&text, absl::Hex(queue_.record().pc), " ");
    }
    return text;
  }
  uint64_t Counted(const std::string& message) {
    const auto it = diagnostics_.entries().find(message);
    return it == diagnostics_.entries().end() ? 0 : it->second.count;
  }
  Diagnostics diagnostics_;
  SpeQueue queue_{0, -1, nullptr, &diagnostics_};
};

constexpr char kAll[] = "1000 1001 1002 1003 1004 1005 1006 1007 ";

TEST_F(SpeQueueTest, RecordsGoOnInTheNextBuffer) {
  const Bytes trace = Loads();
  const absl::Span<const uint8_t> all = trace;
  for (size_t at = 0; at < trace.size(); ++at) {
    SpeQueue queue(0, -1, nullptr, &diagnostics_);
    queue.Add(all.subspan(0, at), BlockRef(), 0, 0);
    queue.Add(all.subspan(at), BlockRef(), 0, at);
    std::string pcs;
    while (queue.Advance()) {
      absl::StrAppend(&pcs, absl::Hex(queue.record().pc), " ");
      EXPECT_EQ(queue.record().timestamp, queue.record().pc - 0x1000);
      EXPECT_EQ(queue.record().events, 0xffffu);
    }
    queue.End();
    EXPECT_EQ(pcs, kAll) << at;
  }
  for (size_t at = 0; at < trace.size(); ++at) Add(all.subspan(at, 1), at);
  EXPECT_EQ(Pcs(), kAll);
  queue_.End();
  EXPECT_TRUE(diagnostics_.entries().empty());
}

TEST_F(SpeQueueTest, ARecordWithoutAnEndIsCounted) {
  const Bytes trace = Loads();
  const absl::Span<const uint8_t> all = trace;
  Add(all.subspan(0, 20), 0);
  // Does not continue the first.
  Add(all, 100);
  Add(all.subspan(0, 14), 100 + all.size());
  EXPECT_EQ(Pcs(), kAll);
  queue_.End();
  EXPECT_EQ(Counted("bytes of an Arm SPE record without an end"), 34u);
  EXPECT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->second.first_offset, 1000u);
}

TEST_F(SpeQueueTest, RecordsWithoutAnAddressAreNoSamples) {
  const Bytes trace = {0x49, 0, 0x01, 0x01, 0, 0, 0};
  Add(trace, 0);
  EXPECT_EQ(Pcs(), "");
  queue_.End();
  EXPECT_EQ(Counted("Arm SPE record without an address"), 2u);
  EXPECT_EQ(diagnostics_.entries().size(), 1u);
}

TEST_F(SpeQueueTest, BytesOfNoPacketAreCountedByBuffer) {
  Bytes trace = Loads();
  trace[0] = 0xff;
  Add(trace, 0);
  const Bytes again = {0xfe, 0};
  Add(again, trace.size());
  EXPECT_EQ(Pcs(), "1001 1002 1003 1004 1005 1006 1007 ");
  EXPECT_GE(Counted("bytes of Arm SPE trace that are no packet"), 2u);
}

}  // namespace
}  // namespace perf2x
