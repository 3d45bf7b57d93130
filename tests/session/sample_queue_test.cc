// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_queue.h"

#include <gtest/gtest.h>

#include "tests/support/recording_emitter.h"

namespace perf2x {
namespace {

TEST(SampleQueueTest, DelaysSamplesAndKeepsTheirOrder) {
  TraceTables tables;
  tables.events = {{.name = "cycles"}};
  tables.threads = {{.pid = 7, .tid = 7, .name = tables.strings.Intern("sh")}};
  RecordingEmitter emitter(tables);
  StackSubset chosen;
  SampleQueue queue(tables, emitter, chosen);
  const uint64_t callchain[] = {~uint64_t{511}, 0x1000};
  for (uint64_t time = 0; time < 18; ++time) {
    QueuedSample* slot = nullptr;
    ASSERT_TRUE(queue.Push(&slot).ok());
    slot->sample.time = time;
    slot->callchain = {reinterpret_cast<const uint8_t*>(callchain),
                       sizeof(callchain)};
    slot->SetHash(StackTable::HashOf(0, slot->callchain));
  }
  EXPECT_EQ(emitter.Take(),
            (std::vector<std::string>{"sample cycles sh period=1 @0",
                                      "sample cycles sh period=1 @1"}));
  ASSERT_TRUE(queue.Flush().ok());
  const std::vector<std::string> rest = emitter.Take();
  ASSERT_EQ(rest.size(), 16u);
  EXPECT_EQ(rest.front(), "sample cycles sh period=1 @2");
  EXPECT_EQ(rest.back(), "sample cycles sh period=1 @17");
  EXPECT_EQ(emitter.last_callchain(),
            (std::vector<uint64_t>{~uint64_t{511}, 0x1000}));
  ASSERT_TRUE(queue.Flush().ok());
  EXPECT_TRUE(emitter.Take().empty());
}

}  // namespace
}  // namespace perf2x
