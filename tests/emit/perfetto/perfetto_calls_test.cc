// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_calls.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/emit/perfetto/perfetto_fixture.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;
using ::testing::ElementsAre;

class PerfettoCallsTest : public PerfettoTest {
 protected:
  void Change(uint64_t time, ThreadId thread, uint32_t depth,
              const std::string& function) {
    const StackId stack = function.empty() ? kNoId : Stack({function});
    const Call call = {time, thread, depth, stack};
    ASSERT_TRUE(emitter().OnCall(call).ok());
  }
  // "time name" of each begin and "time" of each end on tracks "calls" whose
  // parent is the thread's.
  std::vector<std::string> EventsOf(int32_t tid) {
    std::map<uint64_t, std::string> names;
    std::vector<std::string> events;
    uint64_t thread = 0, calls = 0;
    const protos::Trace trace = Result();
    for (const protos::TracePacket& packet : trace.packet()) {
      for (const auto& name : packet.interned_data().event_names()) {
        names[name.iid()] = name.name();
      }
      if (packet.has_track_descriptor()) {
        const auto& track = packet.track_descriptor();
        if (track.thread().tid() == tid) thread = track.uuid();
        if (track.name() == "calls" && track.parent_uuid() == thread) {
          calls = track.uuid();
        }
      }
      const auto& event = packet.track_event();
      if (!packet.has_track_event() || event.track_uuid() != calls) continue;
      events.push_back(absl::StrCat(packet.timestamp()));
      if (event.type() == protos::TrackEvent::TYPE_SLICE_BEGIN) {
        absl::StrAppend(&events.back(), " ", names[event.name_iid()]);
      }
    }
    return events;
  }
};

TEST_F(PerfettoCallsTest, CallsAreNestedSlicesOnATrackOfTheThread) {
  ASSERT_TRUE(Start().ok());
  const ThreadId a = AddThread(10, 10, "app", "app");
  Change(1000, a, 0, "main");
  Change(1001, a, 1, "memcpy");
  Change(1002, a, 1, "sys_read");
  Change(1003, a, 2, "memcpy");
  Change(1004, a, 1, "");
  ASSERT_TRUE(emitter().OnExit({1010, a}).ok());
  EXPECT_THAT(EventsOf(10),
              ElementsAre("1000 main", "1001 memcpy", "1002", "1002 sys_read",
                          "1003 memcpy", "1004", "1004", "1010"));
}

TEST_F(PerfettoCallsTest, OpenCallsEndWithTheTrace) {
  ASSERT_TRUE(Start().ok());
  const ThreadId a = AddThread(10, 10, "app", "app");
  const ThreadId b = AddThread(10, 11, "app", "b");
  Change(900, a, 3, "");
  Change(1000, a, 0, "main");
  Change(1001, a, 1, "memcpy");
  ASSERT_TRUE(emitter().OnExit({1005, b}).ok());
  EXPECT_THAT(EventsOf(10),
              ElementsAre("1000 main", "1001 memcpy", "1005", "1005"));
}

}  // namespace
}  // namespace perf2x
