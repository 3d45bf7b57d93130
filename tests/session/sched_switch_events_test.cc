// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sched_switch_events.h"

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
SwitchPlaces PlacesWith(absl::string_view name, absl::string_view fields,
                        const EventAttr& attr) {
  const std::vector<uint8_t> data = TracingData(
      ByteOrder::kLittle, "sched", {TracepointFormatText(name, kId, fields)});
  RawRecord record;
  record.type = kRecordHeaderTracingData;
  record.payload = data;
  SchedSwitchEvents events;
  EXPECT_EQ(events.PlacesOf(attr).least, 0u);
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

TEST(SchedSwitchEventsTest, KnowsWhereSamplesTellOfSwitches) {
  const SwitchPlaces places = PlacesWith("sched_switch", kFields, Attr());
  EXPECT_EQ(places.from, 24u);
  EXPECT_EQ(places.to, 56u);
  EXPECT_EQ(places.least, 60u);
}

TEST(SchedSwitchEventsTest, OtherSamplesTellOfNone) {
  EXPECT_EQ(PlacesWith("sched_wakeup", kFields, Attr()).least, 0u);
  EventAttr other = Attr();
  other.config = kId + 1;
  EXPECT_EQ(PlacesWith("sched_switch", kFields, other).least, 0u);
  // How many switches a sample stands for is not known.
  EventAttr frequent = Attr();
  frequent.flags = uint64_t{1} << 10;  // freq
  ASSERT_TRUE(frequent.freq());
  EXPECT_EQ(PlacesWith("sched_switch", kFields, frequent).least, 0u);
  // A field is missing, or is no tid.
  const std::string fields(kFields);
  EXPECT_EQ(PlacesWith("sched_switch",
                       fields.substr(0, fields.find("\tfield:long")), Attr())
                .least,
            0u);
  std::string wide = fields;
  wide.replace(wide.find("size:4"), 6, "size:8");
  EXPECT_EQ(PlacesWith("sched_switch", wide, Attr()).least, 0u);
  std::string far = fields;
  far.replace(far.find("offset:56"), 9, "offset:4294967295");
  EXPECT_EQ(PlacesWith("sched_switch", far, Attr()).least, 0u);
}

}  // namespace
}  // namespace perf2x
