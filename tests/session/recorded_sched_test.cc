// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recorded_sched.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/perf/records/wire.h"
#include "tests/support/tracing_data.h"

namespace perf2x {
namespace {

constexpr int kId = 300;
constexpr absl::string_view kFields =
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n";

// Where samples of the tracepoint tell of switches, if its format is this.
SchedPlaces PlacesWith(absl::string_view name, absl::string_view fields,
                       const EventAttr& attr,
                       ByteOrder order = ByteOrder::kLittle) {
  const std::vector<uint8_t> data =
      TracingData(order, "sched", {TracepointFormatText(name, kId, fields)});
  RawRecord record;
  record.type = kRecordHeaderTracingData;
  record.payload = data;
  RecordedSchedTracepoints events;
  EXPECT_EQ(events.PlacesOf(attr).kind, SchedPlaces::kNone);
  EXPECT_TRUE(events.Observe(record));
  EXPECT_FALSE(events.Observe(record));
  return events.PlacesOf(attr);
}

EventAttr Attr() {
  EventAttr attr;
  attr.type = kTypeTracepoint;
  attr.config = kId;
  attr.sample_period = 1;
  return attr;
}

TEST(RecordedSchedTest, KnowsWhereSamplesTellOfSwitches) {
  SchedPlaces places = PlacesWith("sched_switch", kFields, Attr());
  EXPECT_EQ(places.kind, SchedPlaces::kSwitch);
  EXPECT_EQ(places.tid, 24u);
  EXPECT_EQ(places.next_tid, 56u);
  EXPECT_EQ(places.number, 32u);
  EXPECT_EQ(places.least, 60u);
  EXPECT_EQ(places.order, ByteOrder::kLittle);
  // The low half of a long comes last.
  places = PlacesWith("sched_switch", kFields, Attr(), ByteOrder::kBig);
  EXPECT_EQ(places.number, 36u);
  EXPECT_EQ(places.least, 60u);
  EXPECT_EQ(places.order, ByteOrder::kBig);
}

TEST(RecordedSchedTest, KnowsWhereSamplesTellOfWakeups) {
  const SchedPlaces places =
      PlacesWith("sched_wakeup",
                 "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                 "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n",
                 Attr());
  EXPECT_EQ(places.kind, SchedPlaces::kWakeup);
  EXPECT_EQ(places.tid, 24u);
  EXPECT_EQ(places.number, 32u);
  EXPECT_EQ(places.least, 36u);
}

TEST(RecordedSchedTest, OtherSamplesTellOfNone) {
  EXPECT_EQ(PlacesWith("sched_wakeup", kFields, Attr()).kind,
            SchedPlaces::kNone);
  EventAttr other = Attr();
  other.config = kId + 1;
  EXPECT_EQ(PlacesWith("sched_switch", kFields, other).kind,
            SchedPlaces::kNone);
  // How many switches a sample stands for is not known.
  EventAttr frequent = Attr();
  frequent.flags = uint64_t{1} << 10;  // freq
  ASSERT_TRUE(frequent.freq());
  EXPECT_EQ(PlacesWith("sched_switch", kFields, frequent).kind,
            SchedPlaces::kNone);
  // A field is missing, or is no tid.
  const std::string fields(kFields);
  EXPECT_EQ(PlacesWith("sched_switch",
                       fields.substr(0, fields.find("\tfield:long")), Attr())
                .kind,
            SchedPlaces::kNone);
  std::string wide = fields;
  wide.replace(wide.find("size:4"), 6, "size:8");
  EXPECT_EQ(PlacesWith("sched_switch", wide, Attr()).kind, SchedPlaces::kNone);
  std::string far = fields;
  far.replace(far.find("offset:56"), 9, "offset:4294967295");
  EXPECT_EQ(PlacesWith("sched_switch", far, Attr()).kind, SchedPlaces::kNone);
}

}  // namespace
}  // namespace perf2x
