// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/spe_record.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <tuple>
#include <vector>

#include "converter/hwtrace/spe_samples.h"

namespace perf2x {
namespace {

using E = SpeSampleEvent;
using Bytes = std::vector<uint8_t>;

TEST(SpeRecordTest, FieldsOfARecord) {
  const Bytes trace = {
      0xb0, 0x34, 0x12, 0,    0, 0, 0x80, 0xff, 0xa0,  // PC, EL1
      0x65, 7,    0,    0,    0,                       // context
      0x49, 0x01,                                      // store
      0x52, 0x1a, 0x02,                                // events
      0x98, 0x40, 0,    0x99, 3, 0, 0x9a, 2,    0,     // latencies
      0xb2, 0x78, 0x56, 0,    0, 0, 0,    0xf0, 0x42,  // virtual, tagged
      0xb3, 0x00, 0x10, 0,    0, 0, 0,    0,    0x80,  // physical
      0x43, 0x0b,                                      // data source
      0x71, 9,    0,    0,    0, 0, 0,    0,    0};    // timestamp
  SpeDecoder decoder(trace);
  SpeRecord record;
  ASSERT_TRUE(decoder.Next(&record));
  EXPECT_EQ(record.pc, 0xffff800000001234u);
  EXPECT_EQ(record.exception_level, 1);
  EXPECT_EQ(record.context, 7u);
  EXPECT_EQ(record.operation, SpeRecord::kStore);
  EXPECT_EQ(record.events, uint64_t{kSpeRetired | kSpeL1dRefill |
                                    kSpeTlbAccess | kSpeLlcMiss});
  EXPECT_EQ(record.latency, 0x40);
  EXPECT_EQ(record.issue_latency, 3);
  EXPECT_EQ(record.translation_latency, 2);
  EXPECT_EQ(record.virtual_address, 0xfff0000000005678u);
  EXPECT_EQ(record.physical_address, 0x1000u);
  EXPECT_TRUE(record.has_source);
  EXPECT_EQ(record.source, 0xb);
  EXPECT_EQ(record.timestamp, 9u);
  EXPECT_FALSE(decoder.Next(&record));
  EXPECT_EQ(decoder.bad_bytes(), 0u);
}

TEST(SpeRecordTest, RecordsEndWithTimestampsAndEnds) {
  const Bytes trace = {0x4a, 0x02,  // indirect branch
                       0xb0, 0,    0x10, 0,    0,    0,    0,    0,
                       0x80, 0xb1, 0,    0x20, 0,    0,    0,    0,
                       0,    0x80, 0xb4, 0,    0x30, 0,    0,    0,
                       0,    0,    0x80, 0x01, 0x49, 0x00, 0x01,  // load
                       0x48, 0x00};  // without an end
  SpeDecoder decoder(trace);
  SpeRecord record;
  ASSERT_TRUE(decoder.Next(&record));
  EXPECT_EQ(record.operation, SpeRecord::kBranch);
  EXPECT_EQ(record.pc, 0x1000u);
  EXPECT_EQ(record.branch_target, 0x2000u);
  EXPECT_EQ(record.previous_target, 0x3000u);
  EXPECT_FALSE(record.timestamp.has_value());
  ASSERT_TRUE(decoder.Next(&record));
  EXPECT_EQ(record.operation, SpeRecord::kLoad);
  EXPECT_EQ(record.pc, 0u);  // nothing of the record before
  EXPECT_FALSE(decoder.Next(&record));
}

TEST(SpeRecordTest, BadBytesAreCountedAndEndARecord) {
  const Bytes trace = {0x49, 0x00, 0xff, 0xfe, 0x42, 0x04, 0x01};
  SpeDecoder decoder(trace);
  SpeRecord record;
  ASSERT_TRUE(decoder.Next(&record));
  EXPECT_EQ(record.operation, 0);
  EXPECT_EQ(record.events, uint64_t{kSpeL1dAccess});
  EXPECT_EQ(decoder.bad_bytes(), 2u);
  EXPECT_EQ(decoder.first_bad(), 2u);
}

// Before, within and after a record, up to the end and long before it.
TEST(SpeRecordTest, PaddingIsNoPartOfARecord) {
  for (size_t padding = 0; padding < 20; ++padding) {
    for (const size_t after : {0, 1, 7, 8, 40}) {
      Bytes trace(padding);
      trace.insert(trace.end(), {0x49, 0x01});
      trace.insert(trace.end(), padding, 0);
      trace.insert(trace.end(), {0x42, 0x04, 0x01});
      trace.insert(trace.end(), after, 0);
      trace.push_back(0xff);
      SpeDecoder decoder(trace);
      SpeRecord record;
      ASSERT_TRUE(decoder.Next(&record)) << padding;
      EXPECT_EQ(record.operation, SpeRecord::kStore) << padding;
      EXPECT_EQ(record.events, uint64_t{kSpeL1dAccess}) << padding;
      EXPECT_FALSE(decoder.Next(&record));
      EXPECT_EQ(decoder.bad_bytes(), 1u);
      EXPECT_EQ(decoder.first_bad(), trace.size() - 1) << padding << after;
      EXPECT_EQ(decoder.unfinished_bytes(), 0u);
    }
  }
}

// The records of a trace that comes in buffers of `size` bytes.
std::vector<SpeRecord> RecordsOf(const Bytes& trace, size_t size) {
  std::vector<SpeRecord> records;
  SpeRecord record;
  SpeDecoder decoder({});
  for (size_t at = 0; at < trace.size(); at += size) {
    decoder.Continue(absl::MakeConstSpan(trace).subspan(at, size));
    while (decoder.Next(&record)) records.push_back(record);
  }
  return records;
}

auto FieldsOf(const SpeRecord& r) {
  return std::make_tuple(r.pc, r.has_pc, r.branch_target, r.previous_target,
                         r.virtual_address, r.physical_address, r.events,
                         r.timestamp, r.context, r.latency, r.issue_latency,
                         r.translation_latency, r.source, r.has_source,
                         r.operation, r.branch, r.exception_level);
}

// Packets far from the ends of a buffer are read by another function than those
// near to them.
TEST(SpeRecordTest, BuffersOfAnySizeHaveTheSameRecords) {
  std::mt19937 random(1);
  Bytes trace;
  while (trace.size() < 40'000) {
    constexpr uint8_t kHeaders[] = {0x00, 0x01, 0x71, 0x64, 0x65, 0x42, 0x52,
                                    0x62, 0x43, 0x53, 0x48, 0x49, 0x4a, 0x4b,
                                    0x98, 0x99, 0x9a, 0x9b, 0xb0, 0xb1, 0xb2,
                                    0xb3, 0xb4, 0xb5, 0x20, 0xff};
    uint8_t header = kHeaders[random() % std::size(kHeaders)];
    if (header == 0xff && random() % 8 != 0) header = 0x49;  // few bad bytes
    trace.push_back(header);
    if (header == 0x20) trace.push_back(header = 0xb2);  // extended
    if (header < 2 || header == 0xff) continue;
    for (int i = 0; i < 1 << (header >> 4 & 3); ++i) {
      trace.push_back(static_cast<uint8_t>(random()));
    }
  }
  const std::vector<SpeRecord> whole = RecordsOf(trace, trace.size());
  EXPECT_GT(whole.size(), 500u);
  for (const size_t size : {1, 30, 100}) {
    const std::vector<SpeRecord> parts = RecordsOf(trace, size);
    ASSERT_EQ(parts.size(), whole.size()) << size;
    for (size_t i = 0; i < whole.size(); ++i) {
      ASSERT_EQ(FieldsOf(parts[i]), FieldsOf(whole[i])) << size << " " << i;
    }
  }
}

std::vector<E> EventsOf(const SpeRecord& record, const ItraceOptions& options) {
  std::vector<E> events;
  const uint16_t found = SpeSampleEvents(record, options);
  for (int event = 0; event < kSpeSampleEvents; ++event) {
    if ((found >> event & 1) != 0) events.push_back(static_cast<E>(event));
  }
  return events;
}

TEST(SpeSamplesTest, EventsOfARecord) {
  SpeRecord record;
  record.operation = SpeRecord::kLoad;
  record.events = kSpeL1dAccess | kSpeL1dRefill | kSpeLlcAccess | kSpeTlbAccess;
  EXPECT_EQ(EventsOf(record, {}),
            (std::vector{E::kL1dMiss, E::kL1dAccess, E::kLlcAccess,
                         E::kTlbAccess, E::kMemory, E::kInstructions}));
  record.operation = SpeRecord::kBranch;
  record.events =
      kSpeMispredicted | kSpeTlbWalk | kSpeLlcMiss | kSpeRemoteAccess;
  EXPECT_EQ(EventsOf(record, {}),
            (std::vector{E::kLlcMiss, E::kTlbMiss, E::kBranchMiss, E::kBranch,
                         E::kRemoteAccess, E::kInstructions}));
  EXPECT_EQ(EventsOf(record, *ParseItraceOptions("b")),
            (std::vector{E::kBranchMiss, E::kBranch}));
  EXPECT_STREQ(SpeSampleEventName(E::kRemoteAccess), "remote-access");
}

TEST(SpeSamplesTest, DataSources) {
  SpeRecord record;
  EXPECT_EQ(SpeDataSource(record, SpeSourceEncoding::kUnknown), 0u);
  record.operation = SpeRecord::kLoad;
  record.events = kSpeL1dAccess | kSpeTlbAccess;
  // load, L1 hit, no snoop, TLB hit by the walker
  EXPECT_EQ(
      SpeDataSource(record, SpeSourceEncoding::kUnknown),
      2u | 0xau << 5 | 1u << 19 | uint64_t{0x22} << 26 | uint64_t{1} << 33);
  record.source = 0xe;  // DRAM
  EXPECT_EQ(SpeDataSource(record, SpeSourceEncoding::kArm) & 0x7ffe0,
            0x82u << 5);
  record.source = 0x7;  // DRAM as AmpereOne has it
  EXPECT_EQ(SpeDataSource(record, SpeSourceEncoding::kAmpereOne) & 0x7ffe0,
            0x82u << 5);
  EXPECT_EQ(SpeSourceEncodingOf(0x410fd0c1), SpeSourceEncoding::kArm);
  EXPECT_EQ(SpeSourceEncodingOf(0xc00fac40), SpeSourceEncoding::kAmpereOne);
  EXPECT_EQ(SpeSourceEncodingOf(0), SpeSourceEncoding::kUnknown);
}

}  // namespace
}  // namespace perf2x
