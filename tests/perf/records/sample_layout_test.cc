// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/sample_layout.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "converter/perf/records/encode.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr uint64_t kSampleIdAll = uint64_t{1} << 18;

// A sample whose fields all have different values.
class SampleLayoutTest : public testing::TestWithParam<ByteOrder> {
 protected:
  SampleLayoutTest() {
    sample_.id = 0x1111111111111111;
    sample_.ip = 0x2222222222222222;
    sample_.pid = 0x33333333;
    sample_.tid = 0x34343434;
    sample_.time = 0x4444444444444444;
    sample_.cpu = 0x55555555;
    sample_.period = 0x6666666666666666;
    sample_.ips = Words(callchain_);
    sample_.nr = sample_.ips.size();
    sample_.raw = raw_;
    sample_.raw_size = static_cast<uint32_t>(raw_.size());
    sample_.branches = Words(three_);
    sample_.branch_nr = 1;
    sample_.stack = raw_;
    sample_.stack_size = raw_.size();
    sample_.aux = raw_;
    sample_.aux_size = raw_.size();
    sample_.user_abi = sample_.intr_abi = 2;
    sample_.user_regs = sample_.intr_regs = Words(three_);
    sample_.read.members = Words(three_);
    sample_.read.nr = 3;
  }
  static WordSpan Words(const std::vector<uint64_t>& words) {
    return {reinterpret_cast<const uint8_t*>(words.data()), words.size(),
            kHostOrder};
  }
  RawRecord Encoded(const EventAttr& attr) {
    body_ = Encode(sample_, GetParam(), 0, attr);
    RawRecord record;
    record.type = kRecordSample;
    record.order = GetParam();
    record.body = body_;
    return record;
  }
  // Expects `value` at `at`, or no field there.
  template <class T>
  void ExpectAt(int at, bool present, T value) {
    ASSERT_EQ(at >= 0, present);
    if (!present) return;
    ASSERT_LE(static_cast<size_t>(at) + sizeof(T), body_.size());
    EXPECT_EQ(Load<T>(body_.data() + at, GetParam()), value);
  }

  const std::vector<uint64_t> callchain_ = {kContextUser, 0x401000, 0x402000};
  const std::vector<uint64_t> three_ = {7, 8, 9};
  const std::vector<uint8_t> raw_ = {1, 2, 3, 4};
  SampleRecord sample_;
  std::vector<uint8_t> body_;
};

// Every bit of sample_type alone, with all others, and many sets of them.
TEST_P(SampleLayoutTest, FieldsLieWhereTheyAreEncoded) {
  // Their keys do not say all of their stacks or periods.
  constexpr uint64_t kMore = kSampleRead | kSampleRegsUser | kSampleStackUser |
                             kSampleBranchStack | kSampleRegsIntr | kSampleAux;
  std::vector<uint64_t> types = {0, kSampleKnown};
  for (uint64_t bit = 1; bit < kSampleKnown; bit *= 2) {
    types.push_back(bit & kSampleKnown);
    types.push_back(kSampleKnown & ~bit);
    types.push_back(kSampleKnown & ~kMore & ~bit);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    types.push_back(random() & kSampleKnown);
    types.push_back(random() & kSampleKnown & ~kMore);
  }
  int plain = 0;
  for (const uint64_t type : types) {
    SCOPED_TRACE(type);
    EventAttr attr;
    attr.sample_type = type;
    attr.sample_regs_user = attr.sample_regs_intr = 0b111;
    attr.read_format = (random() & 1) * kReadGroup;
    const RawRecord record = Encoded(attr);
    const SampleLayout layout = SampleLayout::FromAttr(attr);
    ExpectAt(layout.id, type & (kSampleIdentifier | kSampleId), sample_.id);
    ExpectAt(layout.ip, type & kSampleIp, sample_.ip);
    ExpectAt(layout.thread, type & kSampleTid,
             static_cast<uint32_t>(sample_.pid));
    ExpectAt(layout.time, type & kSampleTime, sample_.time);
    ExpectAt(layout.cpu, type & kSampleCpu, sample_.cpu);
    ExpectAt(layout.period, type & kSamplePeriod, sample_.period);
    ASSERT_EQ(layout.is_plain, (type & kMore) == 0);
    if (!layout.is_plain) continue;
    ++plain;
    EXPECT_EQ(layout.has_callchain, (type & kSampleCallchain) != 0);
    EXPECT_EQ(layout.has_raw, (type & kSampleRaw) != 0);
    size_t size =
        static_cast<size_t>(layout.variable_offset + layout.trailing_bytes);
    if (layout.has_callchain) size += 8 + 8 * callchain_.size();
    if (layout.has_raw) size += 4 + raw_.size();
    EXPECT_EQ(size, body_.size());
    TimedRecord timed;
    ASSERT_EQ(layout.ReadKey(record, 5, 99, &timed),
              !layout.has_callchain || GetParam() == kHostOrder);
    if (layout.has_callchain && GetParam() != kHostOrder) continue;
    EXPECT_EQ(timed.key.event, 5u);
    EXPECT_EQ(timed.key.ip, type & kSampleIp ? sample_.ip : 0);
    EXPECT_EQ(timed.key.tid, type & kSampleTid ? sample_.tid : -1);
    EXPECT_EQ(timed.key.period, type & kSamplePeriod ? sample_.period : 99);
    timed.body = record.body.data();
    timed.size = static_cast<uint16_t>(record.body.size());
    EXPECT_EQ(layout.RawOf(timed, GetParam()),
              layout.has_raw ? absl::MakeConstSpan(raw_)
                             : absl::Span<const uint8_t>());
    // The file was changed after its key was read.
    timed.size = static_cast<uint16_t>(timed.size - layout.trailing_bytes - 1);
    EXPECT_TRUE(layout.RawOf(timed, GetParam()).empty());
    // A byte less is too short.
    RawRecord cut = record;
    if (cut.body.empty()) continue;
    cut.body.remove_suffix(1);
    EXPECT_FALSE(layout.ReadKey(cut, 5, 99, &timed));
  }
  EXPECT_GT(plain, 2000);
}

TEST_P(SampleLayoutTest, UnknownFieldsAreNotPlain) {
  EventAttr attr;
  attr.sample_type = kSampleKnown + 1;
  EXPECT_FALSE(SampleLayout::FromAttr(attr).is_plain);
}

TEST_P(SampleLayoutTest, TrailersLieWhereTheyAreEncoded) {
  SampleId id;
  id.pid = 1;
  id.time = 0x4444444444444444;
  id.id = 0x1111111111111111;
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i) {
    const uint64_t type = random() & kSampleKnown;
    EventAttr attr;
    attr.sample_type = type;
    attr.flags = kSampleIdAll;
    body_ = Encode(id, GetParam(), 0, attr);
    const TrailerLayout layout = TrailerLayout::FromAttr(attr);
    ASSERT_EQ(layout.size, body_.size());
    ExpectAt(layout.thread, type & kSampleTid, static_cast<uint32_t>(id.pid));
    ExpectAt(layout.time, type & kSampleTime, id.time);
    ExpectAt(layout.cpu, type & kSampleCpu, id.cpu);
    ExpectAt(layout.id_from_end < 0
                 ? -1
                 : static_cast<int>(body_.size()) - layout.id_from_end,
             type & (kSampleIdentifier | kSampleId), id.id);
  }
  const TrailerLayout none =
      TrailerLayout::FromAttr({.sample_type = kSampleTime});
  EXPECT_EQ(none.size, 0u);
  EXPECT_EQ(none.time, -1);
}

INSTANTIATE_TEST_SUITE_P(Orders, SampleLayoutTest,
                         testing::Values(ByteOrder::kLittle, ByteOrder::kBig));

}  // namespace
}  // namespace perf2x
