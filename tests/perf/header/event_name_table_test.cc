// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_name_table.h"

#include <gtest/gtest.h>

#include <deque>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/wire.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

using Events = std::vector<uint32_t>;

class EventNameTableTest : public testing::Test {
 protected:
  RawRecord Record(uint32_t type, absl::string_view body) {
    bodies_.push_back(Wire(ByteOrder::kLittle, body));
    RawRecord record;
    record.type = type;
    record.order = ByteOrder::kLittle;
    record.body = bodies_.back();
    return record;
  }
  static EventAttr Attr(uint32_t type, uint64_t config) {
    EventAttr attr;
    attr.type = type;
    attr.config = config;
    attr.flags = 1 << 20;  // exclude_guest: no modifiers
    return attr;
  }

  Diagnostics diagnostics_;
  EventNameTable table_;

 private:
  std::deque<std::vector<uint8_t>> bodies_;
};

TEST_F(EventNameTableTest, APmusNameConcernsItsEvents) {
  const EventAttr of_pmu = Attr(10, 0x3c), hybrid = Attr(0, uint64_t{10} << 32);
  table_.AddEvent(0, Attr(1, 0));
  table_.AddEvent(1, of_pmu);
  table_.AddEvent(2, hybrid);
  EXPECT_EQ(table_.PmuNameOf(of_pmu), "");
  const RawRecord mappings =
      Record(kRecordHeaderFeature,
             "0000000000000010 "  // PMU_MAPPINGS
             "00000003 "          // nr
             "0000000a 00000009 \"cpu_atom\" "
             "0000000a 00000006 \"other\" "  // the first counts
             "00000063 00000002 \"x\"");     // has no events
  EXPECT_EQ(table_.AddPmuMappings(mappings, &diagnostics_), (Events{1, 2}));
  EXPECT_EQ(table_.PmuNameOf(of_pmu), "cpu_atom");
  EXPECT_EQ(table_.NameOf(of_pmu), "cpu_atom/config=0x3c/");
  EXPECT_EQ(table_.NameOf(hybrid), "cpu_atom/cycles/");
  // Once more: nothing new.
  EXPECT_EQ(table_.AddPmuMappings(mappings, &diagnostics_), Events{});
}

TEST_F(EventNameTableTest, KeepsPmusAheadOfDamage) {
  table_.AddEvent(0, Attr(10, 0));
  EXPECT_EQ(table_.AddPmuMappings(
                Record(kRecordHeaderFeature,
                       "0000000000000010 ffffffff 0000000a 00000002 \"a\" "
                       "0000000b 00000009 \"b\""),
                &diagnostics_),
            Events{0});
  EXPECT_EQ(table_.PmuNameOf(Attr(10, 0)), "a");
  EXPECT_EQ(table_.PmuNameOf(Attr(11, 0)), "");
}

// cycles and cpu-clock have the same config.
TEST_F(EventNameTableTest, NamesOfConfigsAddModifiers) {
  table_.AddEvent(0, Attr(0, 0));
  table_.AddEvent(1, Attr(1, 0));
  table_.AddEventType(
      Record(kRecordHeaderEventType, "0000000000000000 \"cpu-clock:u\" 0*53"),
      &diagnostics_);
  EXPECT_EQ(table_.NameOf(Attr(0, 0)), "cycles");
  EXPECT_EQ(table_.NameOf(Attr(1, 0)), "cpu-clock:u");
}

// write_event_types() of perf until 3.10: u64 config, char name[64].
TEST_F(EventNameTableTest, NamesOfConfigsConcernTheirEventsAfterTheList) {
  table_.AddEvent(0, Attr(2, 317));
  table_.AddEvent(1, Attr(2, 318));
  EXPECT_FALSE(table_.has_new_event_types());
  table_.AddEventType(Record(kRecordHeaderEventType,
                             "000000000000013e \"sched:sched_switch\" 0*45"),
                      &diagnostics_);
  table_.AddEventType(
      Record(kRecordHeaderEventType, "000000000000013e \"again\" 0*58"),
      &diagnostics_);
  EXPECT_TRUE(table_.has_new_event_types());
  EXPECT_EQ(table_.TakeNewlyNamed(), Events{1});
  EXPECT_FALSE(table_.has_new_event_types());
  EXPECT_EQ(table_.NameOf(Attr(2, 318)), "sched:sched_switch");
  EXPECT_NE(table_.NameOf(Attr(2, 317)), "sched:sched_switch");
  EXPECT_NE(table_.NameOf(Attr(1, 318)), "sched:sched_switch");
  EXPECT_TRUE(diagnostics_.entries().empty());
  table_.AddEventType(
      Record(kRecordHeaderEventType, "000000000000013d \"cut\""),
      &diagnostics_);
  EXPECT_FALSE(table_.has_new_event_types());
  EXPECT_TRUE(diagnostics_.entries().contains(
      "HEADER_EVENT_TYPE record shorter than its fields"));
}

TEST_F(EventNameTableTest, DescriptionsAheadOfDamage) {
  const std::string one =
      "0*64 00000002 00000008 \"my-name\" "
      "0000000000000011 0000000000000012";
  const std::string start = "000000000000000c 00000002 00000040 ";
  auto events = ReadEventDesc(
      Record(kRecordHeaderFeature, absl::StrCat(start, one, " ", one)),
      &diagnostics_);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].name, "my-name");
  EXPECT_EQ(events[1].ids, (std::vector<uint64_t>{0x11, 0x12}));
  EXPECT_TRUE(diagnostics_.entries().empty());
  events = ReadEventDesc(
      Record(kRecordHeaderFeature, absl::StrCat(start, one, " 0*64 00000001")),
      &diagnostics_);
  EXPECT_EQ(events.size(), 1u);
  EXPECT_TRUE(
      diagnostics_.entries().contains("EVENT_DESC feature is cut short"));
}

}  // namespace
}  // namespace perf2x
