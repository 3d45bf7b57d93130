// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sched_events.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/session/int_field.h"

namespace perf2x {
namespace {

// As Linux 6.1 prints sched_switch, shortened.
constexpr absl::string_view kNewPrint =
    "\"prev_state=%s%s\", (REC->prev_state & ((((0x0 | 0x1) + 1) << 1) - 1)) ? "
    "__print_flags(REC->prev_state & 0xff, \"|\", { 0x00000001, \"S\" }, "
    "{ 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "
    "{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, "
    "{ 0x00000080, \"I\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\"";
// As Linux 3.10 does.
constexpr absl::string_view kOldPrint =
    "\"prev_state=%s%s\", REC->prev_state & (1024-1) ? "
    "__print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} , "
    "{ 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, "
    "{ 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }) : \"R\", "
    "REC->prev_state & 1024 ? \"+\" : \"\"";

TEST(TaskStatesTest, ReadsTheRecordedKernelsNames) {
  TaskStates now(kNewPrint), then(kOldPrint);
  EXPECT_EQ(now.Letters(0), "R");
  EXPECT_EQ(now.Letters(1), "S");
  EXPECT_EQ(now.Letters(0x10), "X");
  EXPECT_EQ(now.Letters(0x80), "I");
  EXPECT_EQ(now.Letters(0x100), "R+");
  EXPECT_EQ(then.Letters(0x10), "Z");
  EXPECT_EQ(then.Letters(0x82), "D|K");
  EXPECT_EQ(then.Letters(0x100), "W");
  EXPECT_EQ(then.Letters(0x400), "R+");
}

// More than are remembered, each twice.
TEST(TaskStatesTest, ManyStates) {
  TaskStates states(kOldPrint);
  constexpr absl::string_view kLetters = "SDTtZX";
  for (int round = 0; round < 2; ++round) {
    for (uint64_t state = 0; state < 64; ++state) {
      std::string letters;
      for (size_t bit = 0; bit < kLetters.size(); ++bit) {
        if ((state >> bit & 1) == 0) continue;
        absl::StrAppend(&letters, letters.empty() ? "" : "|",
                        kLetters.substr(bit, 1));
      }
      EXPECT_EQ(states.Letters(state), letters.empty() ? "R" : letters);
    }
  }
}

TEST(TaskStatesTest, HasNamesForAPrintFormatWithoutThem) {
  for (absl::string_view print : {"", "{", "{ 1", "{ x, \"S\" }", "{ 1, S }"}) {
    TaskStates states(print);
    EXPECT_EQ(states.Letters(2), "D") << print;
    EXPECT_EQ(states.Letters(0x100), "R+") << print;
  }
}

// Each switch goes through all names.
TEST(TaskStatesTest, ABitHasOneShortName) {
  std::string print;
  for (int i = 0; i < 1000; ++i) print += "{0x1,\"S\"}{0x3,\"B\"}{0x0,\"R\"}";
  print += "{0x4,\"" + std::string(17, 'x') + "\"}{0x8,\"Z\"}{0xb,\"Y\"}";
  TaskStates states(print);
  EXPECT_EQ(states.Letters(0xf), "S|B|Z");
  EXPECT_EQ(states.Letters(1), "S|B");
  EXPECT_EQ(states.Letters(0), "R");
}

TEST(SchedEventsTest, DecodesSwitchesAndWakeups) {
  const TracepointFormat switches(
      "sched", "sched_switch", ByteOrder::kLittle,
      {IntField("prev_pid", 0), IntField("prev_state", 4),
       IntField("next_pid", 8)},
      std::string(kNewPrint));
  const TracepointFormat waking("sched", "sched_waking", ByteOrder::kBig,
                                {IntField("pid", 0), IntField("target_cpu", 4)},
                                "");
  const TracepointFormat other("sched", "sched_stat_runtime",
                               ByteOrder::kLittle, {IntField("pid", 0)}, "");
  const std::vector<uint8_t> raw = {7, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0};
  const std::vector<uint8_t> woken = {0, 0, 0, 8, 0, 0, 0, 3};
  SchedEventDecoder events;
  SchedPayloads* const of_switches = events.PayloadsOf(switches);
  SchedPayloads* const of_wakeups = events.PayloadsOf(waking);
  ASSERT_NE(of_switches, nullptr);
  ASSERT_NE(of_wakeups, nullptr);
  EXPECT_EQ(events.PayloadsOf(switches), of_switches);
  EXPECT_EQ(events.PayloadsOf(other), nullptr);
  SchedNumbers numbers;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(of_switches->Decode(raw, &numbers));
    SchedEvent event = of_switches->EventOf(numbers);
    EXPECT_EQ(event.kind, SchedEvent::Kind::kSwitch);
    EXPECT_EQ(event.tid, 7);
    EXPECT_EQ(event.next_tid, 9);
    EXPECT_EQ(event.state, "D");
    EXPECT_EQ(of_switches->NextTid(numbers), 9);
    ASSERT_TRUE(of_wakeups->Decode(woken, &numbers));
    event = of_wakeups->EventOf(numbers);
    EXPECT_EQ(event.kind, SchedEvent::Kind::kWakeup);
    EXPECT_EQ(event.tid, 8);
    EXPECT_EQ(event.target_cpu, 3);
    EXPECT_EQ(of_wakeups->NextTid(numbers), 8);
  }
  // Cut short.
  const auto cut = absl::MakeConstSpan(raw).subspan(0, 8);
  EXPECT_FALSE(of_switches->Decode(cut, &numbers));
  EXPECT_FALSE(of_wakeups->Decode({}, &numbers));
  // Without the CPU, which need not be there.
  ASSERT_TRUE(
      of_wakeups->Decode(absl::MakeConstSpan(woken).subspan(0, 4), &numbers));
  EXPECT_EQ(of_wakeups->EventOf(numbers).target_cpu, -1);
}

// prev_state is a long; on other machines, fields may have other sizes.
TEST(SchedEventsTest, FieldsMayHaveOtherSizes) {
  TracepointFieldLayout state = IntField("prev_state", 4);
  state.size = 8;
  TracepointFieldLayout next = IntField("next_pid", 12);
  next.size = 2;
  const TracepointFormat format("sched", "sched_switch", ByteOrder::kBig,
                                {IntField("prev_pid", 0), state, next},
                                std::string(kNewPrint));
  const std::vector<uint8_t> raw = {0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0};
  const std::unique_ptr<SchedPayloads> payloads = SchedPayloads::Of(format);
  SchedNumbers numbers;
  ASSERT_TRUE(payloads->Decode(raw, &numbers));
  const SchedEvent event = payloads->EventOf(numbers);
  EXPECT_EQ(event.tid, 7);
  EXPECT_EQ(event.next_tid, 256);
  EXPECT_EQ(event.state, "D+");
  for (size_t size = 0; size < raw.size(); ++size) {
    EXPECT_FALSE(
        payloads->Decode(absl::MakeConstSpan(raw).subspan(0, size), &numbers));
  }
}

}  // namespace
}  // namespace perf2x
