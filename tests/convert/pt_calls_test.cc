// SPDX-License-Identifier: Apache-2.0

// Calls and callchains of recordings of Intel PT. Programs are executed by
// PtProgram, which writes their trace.

#ifdef PERF2X_INTEL_PT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/input/input.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/convert/pt_calls_fixture.h"
#include "tests/support/mmap_record.h"
#include "tests/support/pt_recording_test.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

TEST_F(PtCallsTest, CallsAndReturnsOfAProgram) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const Recording recording = RecordingOf(&program, 5000, 300);
  const Shadow shadow(program, 100);
  ASSERT_GT(shadow.changes.size(), 50u);
  EXPECT_EQ(ChangesOf(recording, "cr"), shadow.changes);
  EXPECT_EQ(samples_, 0u);
  EXPECT_GT(report_.facts.calls, 25u);
  EXPECT_EQ(ChangesOf(recording, "c").size(), shadow.changes.size());
  EXPECT_TRUE(ChangesOf(recording, "b").empty());
  EXPECT_GT(samples_, 0u);
  EXPECT_TRUE(ChangesOf(recording, "").empty());
}

// Times of the trace are those of its TSC packets: what happens between two is
// a ns apart.
TEST_F(PtCallsTest, TimesAscend) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const Recording recording = RecordingOf(&program, 5000, 300);
  ChangesOf(recording, "cr");
  EXPECT_EQ(times_.front(), 1000u);
  EXPECT_LE(times_.back(), 6000u);
  EXPECT_GE(times_.back(), 5500u);
}

TEST_F(PtCallsTest, ThreadsKeepTheirCalls) {
  PtProgram a = PtProgram::Random(1, 3, 10), b = PtProgram::Random(2, 3, 10);
  Install("/bin/a", a);
  Install("/bin/b", b);
  Recording recording = NewProcessRecording();
  AddProcess(200, "/bin/b", &recording);
  PtWriter trace;
  trace.Psb(kBase, 10'000);
  a.clock = b.clock = 10'000;
  uint64_t at_a = kBase, at_b = kBase;
  SwitchCpuWideRecord change;
  ItraceStartRecord start;
  start.pid = start.tid = 100;
  std::vector<std::pair<uint64_t, int32_t>> switches;
  for (int turn = 0; turn < 6; ++turn) {
    const uint64_t now = 20'000 + 10'000u * static_cast<unsigned>(turn);
    at_a = a.Run(at_a, 150, 1000, 1 + static_cast<uint32_t>(turn), &trace);
    trace.Disable(at_a);
    trace.Tsc(now);
    trace.Enable(at_b);
    at_b = b.Run(at_b, 150, 1000, 7 + static_cast<uint32_t>(turn), &trace);
    trace.Disable(at_b);
    trace.Tsc(now + 5000);
    trace.Enable(at_a);
    switches.emplace_back(now - 100, 200);
    switches.emplace_back(now + 4900, 100);
  }
  AddTrace({.bytes = trace.Bytes()}, &recording);
  recording.Add(start, At(9'000, 100));
  for (const auto& [time, next] : switches) {
    change.next_prev_pid = change.next_prev_tid = next;
    recording.Add(change, At(time, next == 100 ? 200 : 100), kMiscSwitchOut);
  }
  const Shadow of_a(a, 100), of_b(b, 200);
  Lines lines[2];
  for (const std::string& line : ChangesOf(recording, "cr")) {
    lines[absl::StartsWith(line, "200") ? 1 : 0].push_back(line);
  }
  EXPECT_EQ(lines[0], of_a.changes);
  EXPECT_EQ(lines[1], of_b.changes);
  filter_.time.spans = {{0, 30'000}};
  const Lines early = ChangesOf(recording, "cr");
  ASSERT_FALSE(early.empty());
  EXPECT_LT(early.size(), of_a.changes.size() + of_b.changes.size());
  EXPECT_LE(*std::max_element(times_.begin(), times_.end()), 30'000u);
  EXPECT_EQ(report_.facts.calls, Begun(early));
  EXPECT_EQ(report_.facts.filtered_calls,
            Begun(of_a.changes) + Begun(of_b.changes) - Begun(early));
  filter_.time.spans = {{1'000'000, 2'000'000}};
  EXPECT_TRUE(ChangesOf(recording, "cr").empty());
  EXPECT_EQ(report_.facts.calls, 0u);
  EXPECT_THAT(
      report_.findings,
      testing::Contains(testing::Field(
          &Finding::message, testing::HasSubstr("the filters leave out all"))));
  filter_ = FilterOptions();
  filter_.list(FilterKey::kTid) = {"200"};
  EXPECT_EQ(ChangesOf(recording, "cr"), of_b.changes);
  EXPECT_EQ(report_.facts.calls, Begun(of_b.changes));
}

// call f; nop; f: call g; ret; g: ret
// The thread runs the call of g on CPU 1, and all else on CPU 0.
TEST_F(PtCallsTest, CallsOfTheCpuWhereTheyBegan) {
  Install("/bin/a", PtProgram({0xe8, 0x01, 0, 0, 0, 0x90, 0xe8, 0x01, 0, 0, 0,
                               0xc3, 0xc3, 0x90}));
  constexpr uint64_t kF = kBase + 6, kG = kBase + 12;
  PtWriter of_0, of_1;
  of_0.Psb(kBase, 1'000);
  of_0.Disable(kF);
  of_1.Psb(0, 2'000);
  of_1.Enable(kF);
  of_1.Disable(kG);
  of_0.Tsc(3'000);
  of_0.Enable(kG);
  of_0.Tip(kBase + 11);
  of_0.Tip(kBase + 5);
  of_0.Disable(kF);
  Recording recording = NewProcessRecording();
  AddTrace({.bytes = of_0.Bytes(), .cpu = 0, .tid = 100}, &recording);
  AddTrace({.bytes = of_1.Bytes(), .cpu = 1, .tid = 100}, &recording);
  EXPECT_EQ(ChangesOf(recording, "cr"),
            (Lines{"100 0+", "100 1+", "100 2+", "100 2", "100 1"}));
  filter_.list(FilterKey::kCpu) = {"0"};
  EXPECT_EQ(ChangesOf(recording, "cr"),
            (Lines{"100 0+", "100 1+", "100 2", "100 2", "100 1"}));
  EXPECT_EQ(report_.facts.calls, 2u);
  EXPECT_EQ(report_.facts.filtered_calls, 1u);
  filter_.list(FilterKey::kCpu) = {"1"};
  EXPECT_EQ(ChangesOf(recording, "cr"),
            (Lines{"100 0", "100 1", "100 2+", "100 2", "100 1"}));
}

// call f; nop; f: nop; jz f: the second jump is where the trace ends
TEST_F(PtCallsTest, TheLastCallOfEachThread) {
  const PtProgram program({0xe8, 0x01, 0, 0, 0, 0x90, 0x90, 0x74, 0xfd, 0x90});
  Install("/bin/a", program);
  Recording recording = NewPtRecording();
  for (const int32_t pid : {200, 100}) {
    AddProcess(pid, "/bin/a", &recording);
    PtWriter trace;
    trace.Psb(kBase, 1'000);
    trace.Tnt(true);
    AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = pid}, &recording);
  }
  EXPECT_EQ(ChangesOf(recording, "cr"),
            (Lines{"200 0+", "100 0+", "100 1+", "200 1+"}));
  EXPECT_EQ(report_.facts.calls, 4u);
}

// call f; nop; f: nop (5 times); jz f
TEST_F(PtCallsTest, AThreadWithTheNumberOfAnother) {
  Install("/bin/a", PtProgram({0xe8, 0x01, 0, 0, 0, 0x90, 0x90, 0x90, 0x90,
                               0x90, 0x90, 0x74, 0xf9, 0x90}));
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  trace.Tnt(true);
  trace.Disable(kBase + 6);
  trace.Tsc(3'000);
  trace.Enable(kBase);
  trace.Tnt(true);
  trace.Disable(kBase + 6);
  const auto changes = [&](const std::function<void(Recording&)>& between) {
    Recording recording = NewProcessRecording();
    AddProcess(300, "/bin/a", &recording);
    AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
    between(recording);
    return ChangesOf(recording, "cr");
  };
  ExitRecord exit;
  exit.pid = exit.tid = 100;
  ForkRecord fork;
  fork.tid = 100;
  CommRecord comm;
  comm.tid = 100;
  const Lines two = {"100 0+", "100 1+", "100 0+", "100 1+"};
  // Its records may be lost.
  EXPECT_EQ(changes([&](Recording& to) { to.Add(exit, At(2'000, 100)); }), two);
  for (const int32_t pid : {100, 300}) {
    fork.pid = fork.ppid = fork.ptid = pid;
    EXPECT_EQ(changes([&](Recording& to) {
                to.Add(exit, At(2'000, 100));
                to.Add(fork, At(2'500, pid));
              }),
              two);
  }
  comm.pid = 300;
  EXPECT_EQ(changes([&](Recording& to) { to.Add(comm, At(2'000, 300)); }),
            (Lines{"100 0+", "100 1+", "100 0", "100 0+", "100 1+"}));
}

// call f; jmp *(%rax); f: jmp g; nop; g: ret
TEST_F(PtCallsTest, AStubIsTheFunctionThatItLeadsTo) {
  const PtProgram program({0xe8, 0x02, 0, 0, 0, 0xff, 0xe0, 0xeb, 0x01, 0x90,
                           0x90, 0x90, 0x90, 0x90, 0xc3});
  Install("/bin/a", program);
  Recording recording = NewProcessRecording();
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  trace.Tip(kBase + 5);
  trace.Tip(kBase);
  trace.Disable(kBase);
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  std::vector<uint64_t> begun;
  RecordingReader reader;
  reader.needs.calls = true;
  std::vector<FrameId> frames;
  reader.on_call = [&](const Call& call, TraceTables& tables) {
    if (call.function == kNoId) return;
    tables.FramesOf(call.function, &frames);
    ASSERT_EQ(frames.size(), 1u);
    begun.push_back(tables.frames()[frames[0]].address);
  };
  ASSERT_TRUE(ReadRecording(MemoryInput(AsFile(recording)), OptionsOf("cr"),
                            reader, &report_)
                  .ok());
  ASSERT_EQ(begun.size(), 2u);
  EXPECT_EQ(begun[1] - begun[0], 10u);
}

// call f; nop; f: nop (4 times); jmp *%rax, into another file: ret
TEST_F(PtCallsTest, AJumpIntoAnotherFileIsACall) {
  const PtProgram program(
      {0xe8, 0x01, 0, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0});
  Install("/bin/a", program);
  Install("/bin/b", PtProgram({0x90, 0x90, 0x90, 0x90, 0xc3}));
  constexpr uint64_t kOther = 0x7f0000000000;
  Recording recording = NewProcessRecording();
  recording.Add(MmapOf(100, "/bin/b", kOther, 0x1000, 0x1000), SampleId(),
                kMiscUser);
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  trace.Tip(kOther);
  trace.Tip(kBase + 5);
  trace.Disable(kBase + 6);
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  EXPECT_EQ(ChangesOf(recording, "cr"),
            (Lines{"100 0+", "100 1+", "100 1+", "100 1"}));
}

// Recursion: jz +1; ret; call to the start; ret.
TEST_F(PtCallsTest, CallsThatAreTooDeepAreCounted) {
  PtProgram program(
      ByteVector{0x74, 0x01, 0xc3, 0xe8, 0xf8, 0xff, 0xff, 0xff, 0xc3, 0x90});
  Install("/bin/a", program);
  constexpr int kCalls = 5000;
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  for (int i = 0; i < kCalls; ++i) trace.Tnt(true);
  trace.Tnt(false);
  for (int i = 0; i < kCalls; ++i) trace.Tip(kBase + 8);
  trace.Disable(kBase + 8);
  Recording recording = NewProcessRecording();
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  const Lines changes = ChangesOf(recording, "cr");
  EXPECT_EQ(Begun(changes), 4096u);
  uint64_t deeper = 0;
  for (const auto& [message, entry] : report_.diagnostics.entries()) {
    if (absl::StrContains(message, "is not followed")) deeper += entry.count;
  }
  // The function that runs when the trace begins is a call as well.
  EXPECT_EQ(deeper, kCalls + 1 - 4096u);
}

TEST_F(PtCallsTest, CallchainsOfInstructions) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const Recording recording = RecordingOf(&program, 2000, 300);
  const Shadow shadow(program, 100);
  // A frame's address is that of its instruction: before the return address.
  const auto chain = [&](size_t i, size_t most) {
    std::string line;
    const uint64_t ip = program.executed()[i];
    const std::vector<uint64_t>& callers = shadow.callers[i];
    for (size_t n = callers.size(); n-- > 0 && most-- > 1;) {
      absl::StrAppend(&line, " ", absl::Hex(callers[n] - 1 - ip));
    }
    return line;
  };
  for (const auto& [itrace, limit] :
       {std::pair("i1ig", size_t{127}), {"i1ig2", 2}, {"i1i", 1}}) {
    const size_t most = limit;  // clang 14 captures no structured binding
    size_t i = 0, deep = 0;
    std::vector<FrameId> frames;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      std::string line;
      tables.FramesOf(sample.stack, &frames);
      deep = std::max(deep, frames.size());
      const uint64_t ip = tables.frames()[frames[0]].address;
      for (size_t n = 1; n < frames.size(); ++n) {
        absl::StrAppend(&line, " ",
                        absl::Hex(tables.frames()[frames[n]].address - ip));
      }
      EXPECT_EQ(line, chain(i++, most)) << i;
    };
    ASSERT_TRUE(ReadRecording(MemoryInput(AsFile(recording)), OptionsOf(itrace),
                              reader, &report_)
                    .ok());
    EXPECT_EQ(i, 2000u);
    EXPECT_GE(deep, std::min<size_t>(most, 3));
  }
}

}  // namespace
}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
