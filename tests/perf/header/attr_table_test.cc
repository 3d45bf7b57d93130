// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/attr_table.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/wire.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

class AttrTableTest : public testing::TestWithParam<ByteOrder> {
 protected:
  // A record from its body (wire.h); its bytes live as long as the test.
  RawRecord Record(uint32_t type, absl::string_view body) {
    bodies_.push_back(Wire(GetParam(), body));
    RawRecord record;
    record.type = type;
    record.order = GetParam();
    record.body = bodies_.back();
    return record;
  }
  void AddEvent(uint64_t config, uint64_t sample_type, const char* ids,
                uint64_t flag = uint64_t{1} << 18,  // sample_id_all
                uint32_t type = kTypeSoftware) {
    EventAttr attr;
    attr.type = type;
    attr.size = kAttrSizeVer0;
    attr.config = config;
    attr.sample_type = sample_type;
    attr.flags = flag;
    RawRecord record = Record(kRecordHeaderAttr, ids);
    bodies_.push_back(EncodeAttr(attr, GetParam()));
    bodies_.back().insert(bodies_.back().end(), record.body.begin(),
                          record.body.end());
    record.body = bodies_.back();
    table_.Observe(record);
  }

  Diagnostics diagnostics_;
  AttrTable table_{&diagnostics_};

 private:
  std::deque<std::vector<uint8_t>> bodies_;
};

constexpr uint64_t kIdentified =
    kSampleIdentifier | kSampleIp | kSampleTid | kSampleTime;

TEST_P(AttrTableTest, FindsTheEventAndTimeOfASample) {
  AddEvent(0, kIdentified, "0000000000000011 0000000000000012");
  AddEvent(1, kIdentified, "0000000000000021");
  const RawRecord sample = Record(kRecordSample,
                                  "0000000000000021 "   // identifier
                                  "0000000000401000 "   // ip
                                  "00000001 00000002 "  // pid, tid
                                  "0000000000000063");  // time
  EXPECT_EQ(table_.EventOf(sample), 1u);
  EXPECT_EQ(table_.TimeOf(sample), 99u);
  EXPECT_EQ(table_.TrailerSize(sample), 0u);
  EXPECT_EQ(table_.EventOfId(0x12), 0u);
  EXPECT_EQ(table_.EventOfId(0x99), kNoEvent);
}

// simpleperf's EVENT_ID record: ids of events that it opens later.
TEST_P(AttrTableTest, IdsThatSimpleperfAdds) {
  AddEvent(0, kIdentified, "0000000000000011");
  AddEvent(1, kIdentified, "0000000000000021");
  table_.Observe(Record(kRecordSimpleperfEventId,
                        "0000000000000002 "                   // count
                        "0000000000000001 0000000000000022 "  // attr, id
                        "0000000000000007 0000000000000033"));
  EXPECT_EQ(table_.EventOfId(0x22), 1u);
  EXPECT_EQ(table_.EventOfId(0x33), kNoEvent);  // there is no attr 7
}

TEST_P(AttrTableTest, NamesThatSimpleperfGives) {
  AddEvent(0, kIdentified, "0000000000000011", uint64_t{1} << 5);  // :u
  AddEvent(3, kIdentified, "0000000000000021");
  table_.Observe(
      Record(kRecordHeaderFeature,
             "0000000000000081 \"event_type_info\" \"cpu-clock,1,0\""));
  EXPECT_EQ(table_.events()[0].name, "cpu-clock:u");
  EXPECT_NE(table_.events()[1].name, "cpu-clock");
}

// The one recorded event still has all samples and the trace's event none.
TEST_P(AttrTableTest, EventsOfTraces) {
  AddEvent(0, kSampleIp | kSampleTime, "");
  EventAttr attr;
  attr.sample_type = kSampleIp;
  EXPECT_EQ(table_.AddTraceEvent(attr, "l1d-miss"), 1u);
  EXPECT_EQ(table_.events()[1].name, "l1d-miss");
  const RawRecord sample =
      Record(kRecordSample, "0000000000401000 0000000000000063");
  EXPECT_EQ(table_.EventOf(sample), 0u);
  EXPECT_EQ(table_.TimeOf(sample), 99u);
}

TEST_P(AttrTableTest, EventsDescribedAfterThoseOfTracesAreSkipped) {
  AddEvent(0, kIdentified, "0000000000000011");
  AddEvent(1, kIdentified, "0000000000000021");
  for (int i = 0; i < 100; ++i) table_.AddTraceEvent({}, "l1d-miss");
  EXPECT_EQ(table_.recorded_events(), 2u);
  AddEvent(2, kIdentified, "0000000000000031");
  EXPECT_EQ(table_.events().size(), 102u);
  EXPECT_EQ(table_.EventOfId(0x31), kNoEvent);
  EXPECT_TRUE(diagnostics_.lossy());
  // Ids for events by number: the second one is a trace's.
  table_.Observe(Record(kRecordSimpleperfEventId,
                        "0000000000000002 "
                        "0000000000000001 0000000000000041 "
                        "0000000000000065 0000000000000051"));
  EXPECT_EQ(table_.EventOfId(0x41), 1u);
  EXPECT_EQ(table_.EventOfId(0x51), kNoEvent);
}

TEST_P(AttrTableTest, WithoutAttrsNoRecordIsOfATrace) {
  table_.AddTraceEvent({}, "l1d-miss");
  EXPECT_EQ(table_.EventOf(Record(kRecordSample, "0000000000401000")),
            kNoEvent);
  EXPECT_EQ(table_.TimeOf(Record(kRecordSwitch, "0000000000000066")),
            std::nullopt);
}

TEST_P(AttrTableTest, FindsTimesThatLieElsewhereForEachEvent) {
  AddEvent(0, kIdentified, "0000000000000011");
  AddEvent(1, kSampleIdentifier | kSampleTime, "0000000000000021");
  AddEvent(2, kIdentified, "0000000000000031");
  EXPECT_EQ(table_.TimeOf(Record(kRecordSample,
                                 "0000000000000021 "
                                 "0000000000000064 0*16")),
            100u);
  EXPECT_EQ(table_.TimeOf(Record(kRecordSample,
                                 "0000000000000031 0*16 "
                                 "0000000000000065")),
            101u);
  EXPECT_EQ(table_.TimeOf(Record(kRecordSwitch,
                                 "0000000000000066 "
                                 "0000000000000021")),
            102u);
}

TEST_P(AttrTableTest, FindsTheTrailerFromTheEnd) {
  AddEvent(0, kIdentified, "0000000000000011");
  AddEvent(1, kIdentified, "0000000000000021");
  const RawRecord comm = Record(kRecordComm,
                                "00000001 00000002 \"sh\" 0*5 "  // the record
                                "00000003 00000004 "             // pid, tid
                                "0000000000000063 "              // time
                                "0000000000000021");             // identifier
  EXPECT_EQ(table_.EventOf(comm), 1u);
  EXPECT_EQ(table_.TimeOf(comm), 99u);
  EXPECT_EQ(table_.TrailerSize(comm), 24u);
  EXPECT_EQ(table_.TrailerOf(comm).pid, 3);
  EXPECT_EQ(table_.TrailerOf(comm).id, 0x21u);
}

TEST_P(AttrTableTest, WhatPerfMadeUpHasNoTime) {
  AddEvent(0, kIdentified, "0000000000000011");
  const RawRecord comm =
      Record(kRecordComm, "00000001 00000002 \"sh\" 0*5 0*24");
  EXPECT_EQ(table_.EventOf(comm), 0u);
  EXPECT_FALSE(table_.TimeOf(comm).has_value());
}

TEST_P(AttrTableTest, WithoutSampleIdAllThereIsNoTrailer) {
  AddEvent(0, kIdentified, "0000000000000011", 0);
  const RawRecord comm = Record(kRecordComm, "00000001 00000002 \"sh\" 0*5");
  EXPECT_EQ(table_.TrailerSize(comm), 0u);
  EXPECT_FALSE(table_.TimeOf(comm).has_value());
}

TEST_P(AttrTableTest, ARecordShorterThanItsTrailerIsNoCrash) {
  AddEvent(0, kIdentified, "0000000000000011");
  AddEvent(1, kIdentified, "0000000000000021");
  for (const char* body : {"", "00", "00000001", "0000000000000021"}) {
    for (const uint32_t type : {kRecordComm, kRecordSample}) {
      const RawRecord record = Record(type, body);
      EXPECT_FALSE(table_.TimeOf(record).has_value());
      EXPECT_LE(table_.TrailerSize(record), record.body.size());
      table_.TrailerOf(record);
    }
  }
}

// What a key says is what the description of SAMPLE says, whatever fields
// samples have and however short they are.
TEST_P(AttrTableTest, KeysAreWhatSamplesDecodeTo) {
  std::mt19937_64 random(1);
  int keys = 0, chains = 0;
  for (int i = 0; i < 20000; ++i) {
    AttrTable table(&diagnostics_);
    std::swap(table, table_);
    // Some of the fields, with one that every other type has in half of them.
    uint64_t type = random() & random() & kSampleKnown;
    if (i % 2 == 0) type = random() & (kSampleCallchain * 2 - 1) & ~kSampleRead;
    AddEvent(i, type | kSampleTid, "");
    const EventAttr& attr = table_.events()[0].attr;
    std::vector<uint8_t> body(random() % 200);
    for (uint8_t& byte : body) byte = static_cast<uint8_t>(random());
    RawRecord record = Record(kRecordSample, "");
    record.misc = kMiscUser;
    record.body = body;
    // A chain that is one.
    const SampleLayout& layout = table_.events()[0].layout;
    const auto at = static_cast<size_t>(layout.variable_offset);
    const uint64_t nr = random() % 6;
    if ((type & kSampleCallchain) && body.size() >= at + 8 + nr * 8) {
      Store(nr, &body[at], GetParam());
      for (uint64_t n = 1; n <= nr; ++n) {
        Store(n == 1 ? kContextUser : random() >> 20, &body[at + n * 8],
              GetParam());
      }
    }
    SampleRecord sample;
    const bool whole =
        Decode(record.body, record.order, record.misc, attr, &sample);
    TimedRecord timed{};
    timed.Set(record, 1);
    table_.ReadKey(record, &timed);
    if (timed.key.event == kNoEvent) {
      // Not for want of anything but what ReadKey says.
      EXPECT_FALSE(whole && layout.is_plain && (type & kSampleCallchain) == 0);
      EXPECT_FALSE(whole && layout.is_plain && nr >= 2 &&
                   (type & kSampleCallchain) && record.order == kHostOrder);
      continue;
    }
    ++keys;
    EXPECT_TRUE(whole);
    EXPECT_EQ(timed.key.event, 0u);
    EXPECT_EQ(timed.key.pid, sample.pid);
    EXPECT_EQ(timed.key.tid, sample.tid);
    EXPECT_EQ(timed.key.cpu, sample.cpu);
    EXPECT_EQ(timed.key.ip, sample.ip);
    EXPECT_EQ(timed.key.period,
              (type & kSamplePeriod) ? sample.period : attr.sample_period);
    EXPECT_EQ(timed.callchain_words, sample.ips.size());
    if (sample.ips.empty()) continue;
    ++chains;
    EXPECT_EQ(timed.callchain().data(), sample.ips.bytes().data());
    EXPECT_TRUE(timed.key.callchain_hash == HashBytes(sample.ips.bytes()));
  }
  EXPECT_GT(keys, 300);
  EXPECT_EQ(chains > 300, GetParam() == kHostOrder);
}

// write_event_desc(): in a file behind the attrs, in old pipes ahead of them.
TEST_P(AttrTableTest, TakesNamesFromEventDescOnEitherSideOfTheAttrs) {
  const std::string desc = absl::StrCat(
      "000000000000000c "  // EVENT_DESC
      "00000001 "          // nr
      "00000040 ",         // attr size
      "0*64 "              // the attr
      "00000001 "          // ids
      "00000008 \"my-name\" "
      "0000000000000011");  // id
  for (const bool first : {false, true}) {
    AttrTable table(&diagnostics_);
    std::swap(table, table_);
    const RawRecord feature = Record(kRecordHeaderFeature, desc);
    if (first) table_.Observe(feature);
    AddEvent(0, kIdentified, "0000000000000011");
    if (!first) {
      EXPECT_NE(table_.events().at(0).name, "my-name");
      table_.Observe(feature);
    }
    ASSERT_EQ(table_.events().size(), 1u);
    EXPECT_EQ(table_.events()[0].name, "my-name");
  }
}

TEST_P(AttrTableTest, EventUpdateNamesAndScales) {
  AddEvent(0, kIdentified, "0000000000000011");
  table_.Observe(Record(kRecordEventUpdate,
                        "0000000000000002 0000000000000011 \"power\""));
  table_.Observe(Record(kRecordEventUpdate,
                        "0000000000000000 0000000000000011 \"Joules\""));
  table_.Observe(Record(kRecordEventUpdate,
                        "0000000000000001 0000000000000011 3fe0000000000000"));
  EXPECT_EQ(table_.events()[0].name, "power");
  EXPECT_EQ(table_.events()[0].unit, "Joules");
  EXPECT_EQ(table_.events()[0].scale, 0.5);
}

TEST_P(AttrTableTest, CountsRecordsThatAreTooShort) {
  AddEvent(0, kIdentified, "0000000000000011");
  for (const char* cut : {"0000000000000001",
                          "0000000000000001 "
                          "0000000000000011 3fe00000"}) {
    table_.Observe(Record(kRecordEventUpdate, cut));
  }
  table_.Observe(Record(kRecordSimpleperfEventId,
                        "0000000000000002 "  // count
                        "0000000000000000 0000000000000022"));
  table_.Observe(Record(kRecordHeaderEventType, "0000000000000000 \"cut\""));
  EXPECT_EQ(table_.events()[0].scale, 1);
  EXPECT_EQ(table_.EventOfId(0x22), kNoEvent);
  const auto count = [this](const char* name) {
    const auto it = diagnostics_.entries().find(
        absl::StrCat(name, " record shorter than its fields"));
    return it == diagnostics_.entries().end() ? 0 : it->second.count;
  };
  EXPECT_EQ(count("EVENT_UPDATE"), 2u);
  EXPECT_EQ(count("SIMPLEPERF_EVENT_ID"), 1u);
  EXPECT_EQ(count("HEADER_EVENT_TYPE"), 1u);
}

// perf_event__synthesize_extra_attr() gives them id 0.
TEST_P(AttrTableTest, IdZeroIsThatOfTheEventWithoutIds) {
  AddEvent(0, kIdentified, "0000000000000011");
  EXPECT_EQ(table_.EventOfId(0), kNoEvent);
  AddEvent(0xa0001, kSampleIdentifier, "", 0, 0xffff0000);
  table_.Observe(
      Record(kRecordEventUpdate, "0000000000000000 0000000000000000 \"'C\""));
  EXPECT_EQ(table_.events()[1].unit, "'C");
  EXPECT_EQ(table_.EventOfId(0), 1u);
  // Of several it is not known which.
  AddEvent(0x40001, kSampleIdentifier, "", 0, 0xffff0000);
  EXPECT_EQ(table_.EventOfId(0), kNoEvent);
  table_.Observe(
      Record(kRecordEventUpdate, "0000000000000000 0000000000000000 \"rpm\""));
  EXPECT_EQ(table_.events()[2].unit, "");
}

// write_pmu_mappings(), which comes behind the attrs in a file.
constexpr char kCores[] =
    "0000000000000010 "  // PMU_MAPPINGS
    "00000002 "          // nr
    "00000004 00000009 \"cpu_core\" "
    "0000000a 00000009 \"cpu_atom\"";
constexpr uint64_t kCore = uint64_t{4} << 32, kAtom = uint64_t{10} << 32;

TEST_P(AttrTableTest, NamesHybridEventsOnceThePmusAreKnown) {
  AddEvent(kCore, kIdentified, "0000000000000011", 0, kTypeHardware);
  AddEvent(kAtom, kIdentified, "0000000000000021", 0, kTypeHardware);
  AddEvent(0, kIdentified, "0000000000000031", 0, kTypeHardware);
  table_.Observe(Record(kRecordHeaderFeature, kCores));
  EXPECT_EQ(table_.events()[0].name, "cpu_core/cycles/:HG");
  EXPECT_EQ(table_.events()[0].pmu, "cpu_core");
  EXPECT_EQ(table_.events()[1].pmu, "cpu_atom");
  EXPECT_EQ(table_.events()[2].pmu, "");
}

// perf 7 names both alike.
TEST_P(AttrTableTest, TellsEventsOfOneNameApartByTheirPmus) {
  const std::string desc =
      "000000000000000c "  // EVENT_DESC
      "00000003 "          // nr
      "00000040 "          // attr size
      "0*64 00000001 00000009 \"cycles:P\" 0000000000000011 "
      "0*64 00000001 00000009 \"cycles:P\" 0000000000000021 "
      "0*64 00000001 00000006 \"dummy\" 0000000000000031";
  for (const bool pmus_first : {false, true}) {
    AttrTable table(&diagnostics_);
    std::swap(table, table_);
    AddEvent(kCore, kIdentified, "0000000000000011", 0, kTypeHardware);
    AddEvent(kAtom, kIdentified, "0000000000000021", 0, kTypeHardware);
    AddEvent(kSoftwareDummy, kIdentified, "0000000000000031", 0);
    const RawRecord pmus = Record(kRecordHeaderFeature, kCores);
    if (pmus_first) table_.Observe(pmus);
    table_.Observe(Record(kRecordHeaderFeature, desc));
    if (!pmus_first) table_.Observe(pmus);
    EXPECT_EQ(table_.events()[0].name, "cpu_core/cycles/P");
    EXPECT_EQ(table_.events()[1].name, "cpu_atom/cycles/P");
    EXPECT_EQ(table_.events()[2].name, "dummy");
  }
}

// Who copies events copies those that changed, however many others there are.
TEST_P(AttrTableTest, TellsWhichEventsChanged) {
  AddEvent(0, kIdentified, "0000000000000011");
  AddEvent(1, kIdentified, "0000000000000021");
  EXPECT_EQ(table_.TakeChangedEvents(), (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(table_.TakeChangedEvents().empty());
  AddEvent(2, kIdentified, "0000000000000031");
  EXPECT_EQ(table_.TakeChangedEvents(), (std::vector<uint32_t>{2}));
}

TEST_P(AttrTableTest, TellsEventsApartUpToANumber) {
  for (size_t i = 0; i < kMaxEvents; ++i) AddEvent(0, kIdentified, "");
  EXPECT_FALSE(diagnostics_.lossy());
  for (int i = 0; i < 7; ++i) AddEvent(0, kIdentified, "0000000000000011");
  EXPECT_EQ(table_.events().size(), kMaxEvents);
  EXPECT_EQ(table_.EventOfId(0x11), kNoEvent);
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->second.count, 7u);
}

INSTANTIATE_TEST_SUITE_P(ByteOrders, AttrTableTest,
                         testing::Values(ByteOrder::kLittle, ByteOrder::kBig),
                         [](const auto& test) {
                           return test.param == ByteOrder::kLittle ? "Little"
                                                                   : "Big";
                         });

}  // namespace
}  // namespace perf2x
