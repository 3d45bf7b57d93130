// SPDX-License-Identifier: Apache-2.0

// Calls of recordings of Intel PT whose trace has gaps, begins within a call or
// has no times.

#ifdef PERF2X_INTEL_PT
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/match.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/convert/pt_calls_fixture.h"

namespace perf2x {
namespace {

using PtCallGapsTest = PtCallsTest;

TEST_F(PtCallGapsTest, GapsEndCalls) {
  // call f; f: nop; jz f
  const PtProgram program({0xe8, 0x01, 0, 0, 0, 0x90, 0x90, 0x74, 0xfd, 0x90});
  Install("/bin/a", program);
  Recording recording = NewProcessRecording();
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  for (int i = 0; i < 6; ++i) trace.Tnt(true);
  trace.Overflow(kBase + 7);
  trace.Tnt(true);
  trace.Disable(kBase + 6);
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  EXPECT_EQ(ChangesOf(recording, "cr"),
            (Lines{"100 0+", "100 1+", "100 0", "100 0+"}));
}

// Buffers with a gap between them. The second one may be read when the first
// one has been decoded.
TEST_F(PtCallGapsTest, GapsBetweenBuffersEndCalls) {
  // call f; f: nop; jz f
  const PtProgram program({0xe8, 0x01, 0, 0, 0, 0x90, 0x90, 0x74, 0xfd, 0x90});
  Install("/bin/a", program);
  const auto changes = [&](bool has_rounds) {
    Recording recording = NewProcessRecording();
    for (const uint64_t time : {uint64_t{1'000}, uint64_t{400'000}}) {
      PtWriter trace;
      trace.Psb(time == 1'000 ? kBase : kBase + 6, time);
      for (int i = 0; i < 60; ++i) trace.Tnt(true);
      AddTrace({.bytes = trace.Bytes(), .offset = time, .cpu = -1, .tid = 100},
               &recording);
      for (const uint64_t later : {100'000, 200'000, 300'000}) {
        if (!has_rounds || time != 1'000) continue;
        CommRecord comm;
        comm.pid = comm.tid = 8;
        comm.comm = "other";
        recording.Add(comm, At(later, 8));
        recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
      }
    }
    return ChangesOf(recording, "cr");
  };
  const Lines expected = {"100 0+", "100 1+", "100 0", "100 0+"};
  EXPECT_EQ(changes(false), expected);
  const std::vector<uint64_t> times = times_;
  EXPECT_EQ(changes(true), expected);
  EXPECT_EQ(times_, times);
}

// The trace of a CPU begins when the first thread comes, from another CPU.
TEST_F(PtCallGapsTest, CallsGoOnWhereTheTraceOfACpuBegins) {
  // call f; nop; f: nop (5 times); jz f; ret
  Install("/bin/a", PtProgram({0xe8, 0x01, 0, 0, 0, 0x90, 0x90, 0x90, 0x90,
                               0x90, 0x90, 0x74, 0xf9, 0xc3}));
  Recording recording = NewProcessRecording();
  PtWriter of_0, of_1;
  of_0.Psb(kBase, 10'000);
  of_0.Tnt(true);
  of_0.Disable(kBase + 6);
  of_1.Psb(0, 20'000);
  of_1.Enable(kBase + 6);
  of_1.Tnt(false);
  of_1.Tip(kBase + 5);
  of_1.Disable(kBase + 6);
  AddTrace({.bytes = of_0.Bytes()}, &recording);
  AddTrace({.bytes = of_1.Bytes(), .cpu = 1}, &recording);
  ItraceStartRecord start;
  start.pid = start.tid = 100;
  recording.Add(start, At(9'000, 100));
  SwitchCpuWideRecord change;
  change.next_prev_pid = change.next_prev_tid = 100;
  SampleId id = At(15'000, 0);
  id.cpu = 1;
  recording.Add(change, id, kMiscSwitchOut);
  EXPECT_EQ(ChangesOf(recording, "cr"), (Lines{"100 0+", "100 1+", "100 1"}));
}

TEST_F(PtCallGapsTest, WithoutTimesThereIsNoTimeLine) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  Install("/bin/a", program);
  Recording recording = NewPtRecording();
  recording.records.erase(recording.records.begin());  // TIME_CONV
  recording.records[0].body[8 * 5] = 0;                // cap_user_time_zero
  AddProcess(100, "/bin/a", &recording);
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  trace.Disable(program.Run(kBase, 500, 300, 3, &trace));
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  EXPECT_TRUE(ChangesOf(recording, "cr").empty());
  uint64_t notes = 0;
  for (const auto& [message, entry] : report_.diagnostics.entries()) {
    if (absl::StrContains(message, "no place on a time line")) {
      notes += entry.count;
    }
  }
  EXPECT_EQ(notes, Shadow(program, 100).changes.size());
}

}  // namespace
}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
