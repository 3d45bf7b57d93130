// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_records.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/base/truncate_name.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/wire.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

class EventRecordsTest : public testing::Test {
 protected:
  // A HEADER_ATTR record with two ids. It is valid until the next call.
  RawRecord AttrRecord(uint64_t sample_type) {
    EventAttr attr;
    attr.size = kAttrSizeVer0;
    attr.sample_type = sample_type;
    body_ = EncodeAttr(attr, kHostOrder);
    const auto ids = Wire(kHostOrder, "0000000000000011 0000000000000012");
    body_.insert(body_.end(), ids.begin(), ids.end());
    RawRecord record;
    record.type = kRecordHeaderAttr;
    record.order = kHostOrder;
    record.offset = 104;
    record.body = body_;
    return record;
  }
  uint64_t Counted(const char* message) {
    const auto it = diagnostics_.entries().find(message);
    return it == diagnostics_.entries().end() ? 0 : it->second.count;
  }
  bool Apply(const EventUpdateRecord& update) {
    return ApplyEventUpdate(update, 104, &event_, &diagnostics_);
  }

  Diagnostics diagnostics_;
  RecordedEvent event_;

 private:
  std::vector<uint8_t> body_;
};

TEST_F(EventRecordsTest, AnEventHasItsLayoutsAndIds) {
  WordSpan ids;
  const auto event =
      ReadEvent(AttrRecord(kSampleIp | kSampleTime), &ids, &diagnostics_);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->attr.sample_type, kSampleIp | kSampleTime);
  EXPECT_EQ(event->layout.time, 8);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(ids[1], 0x12u);
  EXPECT_TRUE(diagnostics_.entries().empty());
}

TEST_F(EventRecordsTest, UnknownSampleTypesAreNoted) {
  WordSpan ids;
  EXPECT_TRUE(ReadEvent(AttrRecord(uint64_t{1} << 60), &ids, &diagnostics_)
                  .has_value());
  EXPECT_EQ(Counted("event with sample_type bits that are not known"), 1u);
  EXPECT_FALSE(diagnostics_.lossy());
}

TEST_F(EventRecordsTest, AShortAttrIsSkipped) {
  RawRecord record = AttrRecord(kSampleIp);
  record.body = record.body.first(kAttrSizeVer0 - 1);
  WordSpan ids;
  EXPECT_FALSE(ReadEvent(record, &ids, &diagnostics_).has_value());
  EXPECT_EQ(Counted("HEADER_ATTR record too short for its attr"), 1u);
}

TEST_F(EventRecordsTest, UpdatesSetUnitAndScale) {
  EventUpdateRecord update;
  update.kind = EventUpdateRecord::kUnit;
  update.text = "Joules";
  EXPECT_TRUE(Apply(update));
  EXPECT_EQ(event_.unit, "Joules");
  update.kind = EventUpdateRecord::kScale;
  update.scale_bits = 0x3fe0000000000000;
  EXPECT_TRUE(Apply(update));
  EXPECT_EQ(event_.scale, 0.5);
  update.kind = EventUpdateRecord::kCpus;
  EXPECT_FALSE(Apply(update));
}

TEST_F(EventRecordsTest, TheFirstNameCounts) {
  event_.name = "raw 0x1";
  EventUpdateRecord update;
  update.kind = EventUpdateRecord::kNameText;
  EXPECT_TRUE(Apply(update));
  EXPECT_EQ(event_.name, "raw 0x1");
  EXPECT_FALSE(event_.has_recorded_name);
  const std::string name(kMaxEventNameSize + 1, 'n');
  for (const absl::string_view text : {absl::string_view(name), {"second"}}) {
    update.text = text;
    EXPECT_TRUE(Apply(update));
    EXPECT_EQ(event_.name, name.substr(1));
    EXPECT_TRUE(event_.has_recorded_name);
  }
  EXPECT_EQ(Counted("name truncated"), 1u);
}

}  // namespace
}  // namespace perf2x
