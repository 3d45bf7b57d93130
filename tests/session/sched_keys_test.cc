// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "converter/perf/stream/ordered_reader.h"
#include "converter/perf/stream/sched_key_reader.h"
#include "converter/session/sched_events.h"
#include "tests/session/int_field.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

// Says of all samples that they are of one tracepoint.
class OneTracepoint final : public SchedTracepoints {
 public:
  explicit OneTracepoint(const SchedPlaces& places) : places_(places) {}
  bool Observe(const RawRecord&) override { return false; }
  SchedPlaces PlacesOf(const EventAttr&) const override { return places_; }

 private:
  const SchedPlaces places_;
};

class LastKey final : public OrderedReader::Sink {
 public:
  bool AcceptsKeysOf(uint32_t) override { return true; }
  absl::Status Apply(const RawRecord&, std::optional<uint64_t>) override {
    return absl::OkStatus();
  }
  absl::Status ApplyKeys(const OrderedRecords& samples, ByteOrder) override {
    key = samples.records.back()->key;
    return absl::OkStatus();
  }
  SampleKey key;
};

// Returns the key that is read of a sample of thread 7 with these raw data.
SampleKey KeyOf(const SchedPayloads& payloads,
                const std::vector<uint8_t>& raw) {
  Recording recording;
  Recording::Event event;
  event.attr.type = kTypeTracepoint;
  event.attr.size = kAttrSizeVer0;
  event.attr.sample_period = 1;
  event.attr.sample_type = kSampleTid | kSampleTime | kSampleRaw;
  event.ids = {1};
  recording.events.push_back(event);
  SampleRecord sample;
  sample.pid = sample.tid = 7;
  sample.time = 100;
  sample.raw = raw;
  sample.raw_size = static_cast<uint32_t>(raw.size());
  recording.Add(sample);
  const ByteVector bytes = AsPipe(recording);
  auto reader = OrderedReader::Open(MemoryInput(bytes), 0, Budget::Unlimited());
  EXPECT_TRUE(reader.ok()) << reader.status();
  (*reader)->ReadSchedKeys(std::make_unique<OneTracepoint>(payloads.Places()));
  LastKey sink;
  EXPECT_TRUE((*reader)->Run(/*on_thread=*/false, sink).ok());
  return sink.key;
}

// Keys say what the decoder of raw data does.
void ExpectSame(const SchedPayloads& payloads,
                const std::vector<uint8_t>& raw) {
  const SampleKey key = KeyOf(payloads, raw);
  ASSERT_NE(key.sched_tid, SampleKey::kNotRead);
  SchedNumbers decoded;
  ASSERT_TRUE(payloads.Decode(raw, &decoded));
  const SchedNumbers read = payloads.NumbersOf(key);
  EXPECT_EQ(read.tid, decoded.tid);
  EXPECT_EQ(read.next_tid, decoded.next_tid);
  EXPECT_EQ(read.target_cpu, decoded.target_cpu);
  EXPECT_EQ(read.state, decoded.state);
}

TEST(SchedKeysTest, TellOfSwitches) {
  TracepointFieldLayout state = IntField("prev_state", 4);
  state.size = 8;
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const TracepointFormat format(
        "sched", "sched_switch", order,
        {IntField("prev_pid", 0), state, IntField("next_pid", 12)}, "");
    std::vector<uint8_t> raw(16);
    Store(uint32_t{7}, &raw[0], order);
    Store(uint64_t{0xffff'ffff'8000'0102}, &raw[4], order);
    Store(uint32_t{9}, &raw[12], order);
    const auto payloads = SchedPayloads::Of(format);
    ExpectSame(*payloads, raw);
    // Cut short, and of another thread than the sample's.
    raw.resize(12);
    EXPECT_EQ(KeyOf(*payloads, raw).sched_tid, SampleKey::kNotRead);
    raw.resize(16);
    Store(uint32_t{8}, &raw[0], order);
    EXPECT_EQ(KeyOf(*payloads, raw).sched_tid, SampleKey::kNotRead);
  }
}

TEST(SchedKeysTest, TellOfWakeups) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const TracepointFormat format(
        "sched", "sched_waking", order,
        {IntField("pid", 0), IntField("target_cpu", 4)}, "");
    std::vector<uint8_t> raw(12);
    Store(uint32_t{8}, &raw[0], order);
    Store(uint32_t{3}, &raw[4], order);
    ExpectSame(*SchedPayloads::Of(format), raw);
  }
}

// Those that have no fixed place are decoded later.
TEST(SchedKeysTest, OtherFieldsAreNotRead) {
  TracepointFieldLayout next = IntField("next_pid", 8);
  next.size = 2;
  const TracepointFormat format(
      "sched", "sched_switch", ByteOrder::kLittle,
      {IntField("prev_pid", 0), IntField("prev_state", 4), next}, "");
  const auto payloads = SchedPayloads::Of(format);
  EXPECT_EQ(payloads->Places().kind, SchedPlaces::kNone);
  const TracepointFormat no_cpu("sched", "sched_waking", ByteOrder::kLittle,
                                {IntField("pid", 0)}, "");
  EXPECT_EQ(SchedPayloads::Of(no_cpu)->Places().kind, SchedPlaces::kNone);
}

}  // namespace
}  // namespace perf2x
