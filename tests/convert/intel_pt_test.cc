// SPDX-License-Identifier: Apache-2.0

// Recordings of Intel PT, from the bytes of the trace to samples. Programs are
// executed by PtProgram, which writes their trace.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/hwtrace/pt_decoder.h"
#include "converter/input/input.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/pt_program.h"
#include "tests/support/pt_recording.h"
#include "tests/support/pt_recording_test.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

TEST(IntelPtTest, IsCountedWithoutADecoder) {
  Recording recording = NewPtRecording();
  AddTrace({.bytes = ByteVector(64, 0)}, &recording);
  ConvertReport report;
  ConvertOptions options;
  options.symbolize = false;
  ASSERT_TRUE(ReadRecording(MemoryInput(AsFile(recording)), options,
                            RecordingReader(), &report)
                  .ok());
  const auto& entries = report.diagnostics.entries();
  EXPECT_EQ(entries.count("hardware trace (Intel PT) that is not decoded: "
                          "libipt is not in this build"),
            CanDecodeIntelPt() ? 0u : 1u);
  EXPECT_EQ(entries.count("bytes of Intel PT trace before a PSB packet, where "
                          "reading can begin"),
            CanDecodeIntelPt() ? 1u : 0u);
}

#ifdef PERF2X_INTEL_PT

// Two processes share a CPU: they have other code at the same addresses.
TEST_F(IntelPtRecordingTest, EachThreadIsFollowedThroughItsOwnCode) {
  PtProgram a = PtProgram::Random(1, 3, 10), b = PtProgram::Random(2, 3, 10);
  Install("/bin/a", a);
  Install("/bin/b", b);
  Recording recording = NewProcessRecording();
  AddProcess(200, "/bin/b", &recording);
  PtWriter trace;
  trace.Psb(kBase, 10'000);
  a.clock = 10'000;
  trace.Disable(a.Run(kBase, 900, 200, 1, &trace));
  trace.Tsc(20'000);
  trace.Enable(kBase);
  b.clock = 20'000;
  trace.Disable(b.Run(kBase, 700, 150, 2, &trace));
  ItraceStartRecord start;
  start.pid = start.tid = 100;
  SwitchCpuWideRecord change;
  change.next_prev_pid = change.next_prev_tid = 200;
  Lines expected = LinesOf(a, 100);
  for (const std::string& line : LinesOf(b, 200)) expected.push_back(line);

  AddTrace({.bytes = trace.Bytes()}, &recording);
  recording.Add(start, At(9'000, 100));
  recording.Add(change, At(15'000, 100), kMiscSwitchOut);
  const Found found = SamplesOf(AsFile(recording), "i1i");
  EXPECT_EQ(found.samples, expected);
  EXPECT_EQ(found.report.diagnostics.entries().size(), 0u);
  EXPECT_EQ(SamplesOf(AsPipe(recording), "i1i").samples, expected);
}

TEST_F(IntelPtRecordingTest, SamplesAtPeriods) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const Recording recording = RecordingOf(&program, 5000, 100);
  const Found by_count = SamplesOf(AsFile(recording), "i1000i");
  ASSERT_EQ(by_count.samples.size(), 5u);
  EXPECT_EQ(by_count.samples[1],
            absl::StrCat("instructions 100/100 ",
                         absl::Hex(program.executed()[1999]), " x1000"));
  // An instruction takes a ns, and every 100th has its time in the trace.
  wants_times = true;
  const Found by_time = SamplesOf(AsFile(recording), "i1us");
  ASSERT_EQ(by_time.samples.size(), 4u);
  EXPECT_TRUE(absl::EndsWith(by_time.samples[0], " @2000"))
      << by_time.samples[0];
  EXPECT_TRUE(absl::EndsWith(by_time.samples[3], " @5000"))
      << by_time.samples[3];
  EXPECT_TRUE(absl::StrContains(by_time.samples[3], " x10"));
  EXPECT_EQ(SamplesOf(AsFile(recording), "").samples.size(), 0u);  // 100 us
}

TEST_F(IntelPtRecordingTest, BranchesAndTheirStacks) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const Recording recording = RecordingOf(&program, 2000, 300);
  // A branch is seen with the instruction after it.
  std::vector<PtProgram::Jump> taken = program.taken();
  Lines all, calls, returns;
  for (const PtProgram::Jump& jump : taken) {
    const uint8_t code = program.code()[jump.from - kBase];
    const std::string line = absl::StrCat(
        "branches 100/100 ", absl::Hex(jump.from), " ", absl::Hex(jump.to));
    all.push_back(line);
    if (code == 0xe8) calls.push_back(line);
    if (code == 0xc3) returns.push_back(line);
  }
  ASSERT_GT(calls.size(), 3u);
  ASSERT_GT(returns.size(), 3u);
  Found found = SamplesOf(AsFile(recording), "b");
  ASSERT_GE(found.samples.size() + 1, all.size());
  all.resize(found.samples.size());
  EXPECT_EQ(found.samples, all);
  found = SamplesOf(AsFile(recording), "c");
  calls.resize(std::min(calls.size(), found.samples.size()));
  EXPECT_EQ(found.samples, calls);
  found = SamplesOf(AsFile(recording), "r");
  returns.resize(std::min(returns.size(), found.samples.size()));
  EXPECT_EQ(found.samples, returns);

  wants_branches = true;
  found = SamplesOf(AsFile(recording), "i2000il");
  ASSERT_EQ(found.samples.size(), 1u);
  std::string expected = absl::StrCat(
      "instructions 100/100 ", absl::Hex(program.executed()[1999]), " x2000");
  if (taken.back().from == program.executed()[1999]) taken.pop_back();
  for (int i = 0; i < 32; ++i) {
    const PtProgram::Jump& jump = taken[taken.size() - 1 - i];
    absl::StrAppend(&expected, " ", absl::Hex(jump.from), ">",
                    absl::Hex(jump.to));
  }
  EXPECT_EQ(found.samples[0], expected);
}

// nop; nop; jz back
const ByteVector kShortLoop = {0x90, 0x90, 0x74, 0xfc, 0x90, 0x90};

TEST_F(IntelPtRecordingTest, OtherEventsAreSamplesOrCounted) {
  PtProgram program(kShortLoop);
  Install("/bin/a", program);
  Recording recording = NewProcessRecording();
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  trace.Tnt(true);
  trace.Transaction(kBase + 1, /*aborted=*/true);
  trace.Tnt(true);
  trace.Ratio(17);
  trace.Tnt(true);
  trace.Ratio(17);
  trace.Tnt(true);
  trace.PowerEntry(3);
  trace.PowerExit(1, 3);
  trace.Tnt(true);
  trace.Overflow(kBase);
  trace.Tnt(true);
  trace.Interrupt(kBase + 1, 0xffffffff81000000);
  trace.Tnt(true);
  trace.Psb(kBase, 3'000);
  trace.Tnt(true);
  trace.Interrupt(kBase + 1, 0x700000);
  trace.Tnt(true);
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  Found found = SamplesOf(AsFile(recording), "xwp");
  EXPECT_EQ(found.samples,
            (Lines{"transactions 100/100 401001", "cbr 100/100 0 11",
                   "pwre 100/100 0 3", "pwrx 100/100 0 301"}));
  EXPECT_EQ(found.CountOf("could not write fast enough"), 1u);
  EXPECT_EQ(found.CountOf("code of the kernel without an image"), 1u);
  EXPECT_EQ(found.CountOf("code whose file was not found"), 1u);
  EXPECT_EQ(SamplesOf(AsFile(recording), "x").samples.size(), 1u);
}

TEST_F(IntelPtRecordingTest, ProgramsWithoutAFileAreCounted) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  Recording recording = NewPtRecording();
  AddProcess(100, "/bin/not-there", &recording);
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  trace.Disable(program.Run(kBase, 500, 100, 3, &trace));
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  const Found found = SamplesOf(AsFile(recording), "i1i");
  EXPECT_TRUE(found.samples.empty());
  // Each PSB is a new begin.
  EXPECT_EQ(found.CountOf("code whose file was not found"), 5u);
}

// Its place is before the end of the recording, as that of any other time.
TEST_F(IntelPtRecordingTest, TheLastOfAllTimesIsDecoded) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  Recording recording = RecordingOf(&program, 500, 1000);
  // Each time is 2^64 - 1.
  recording.records[0].body = Words({0, 0, ~uint64_t{0}});
  EXPECT_EQ(SamplesOf(AsFile(recording), "i1i").samples.size(), 500u);
}

// A period longer than the trace; a trace that the recording lacks.
TEST_F(IntelPtRecordingTest, WithoutSamplesTheNextStepIsSaid) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  Recording recording = RecordingOf(&program, 500, 1000);
  const auto finding = [&] {
    const auto findings = SamplesOf(AsFile(recording), "i1ms").report.findings;
    return findings.size() != 1
               ? std::string()
               : absl::StrCat(findings[0].message, "; ", findings[0].next_step);
  };
  EXPECT_TRUE(absl::StrContains(finding(), "--itrace=i1000i")) << finding();
  recording.records.pop_back();
  AddAux({.offset = 0, .size = 64}, At(2'000, 100), &recording);
  EXPECT_TRUE(absl::StrContains(finding(), "lacks its hardware trace"))
      << finding();
}

// A jump from page to page: each address must be looked up.
TEST_F(IntelPtRecordingTest, LookingUpCodeIsWork) {
  constexpr uint64_t kPages = 8, kPage = 4096;
  ByteVector code(kPages * kPage, 0x90);
  for (uint64_t i = 0; i < kPages; ++i) {
    const uint64_t next = (i + 1) % kPages;
    const auto way = static_cast<uint32_t>((next - i) * kPage - 5);
    code[i * kPage] = 0xe9;
    for (uint64_t b = 0; b < 4; ++b) {
      code[i * kPage + 1 + b] = static_cast<uint8_t>(way >> (8 * b));
    }
  }
  Install("/bin/a", PtProgram(code));
  Recording recording = NewPtRecording();
  CommRecord comm;
  comm.pid = comm.tid = 100;
  recording.Add(comm);
  for (uint64_t i = 0; i < kPages; ++i) {
    recording.Add(
        MmapOf(100, "/bin/a", 0x401000 + i * kPage, kPage, 0x1000 + i * kPage),
        SampleId(), kMiscUser);
  }
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  trace.Tnt(true);
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  const Found found = SamplesOf(AsFile(recording), "i1000000i");
  // Nine steps of 48 Mi each.
  EXPECT_GT(found.samples.size(), 1u);
  EXPECT_LT(found.samples.size(), 13u);
  EXPECT_GT(found.CountOf("SECURITY.md"), 0u);
}

// 100 KB of trace that stand for 400 million instructions.
TEST_F(IntelPtRecordingTest, TheBudgetEndsTheFlow) {
  ByteVector code(1000, 0x90);
  code.insert(code.end(), {0x0f, 0x84, 0x12, 0xfc, 0xff, 0xff, 0x90});
  Install("/bin/a", PtProgram(code));
  Recording recording = NewProcessRecording();
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  for (int i = 0; i < 400'000; ++i) trace.Tnt(true);
  AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
  const Found found = SamplesOf(AsFile(recording), "i1000000i");
  // Five steps of work for four, of 48 Mi; checked at times.
  EXPECT_GT(found.samples.size(), 38u);
  EXPECT_LT(found.samples.size(), 45u);
  EXPECT_GT(found.CountOf("budget") + found.CountOf("SECURITY.md"), 0u);
  // Of 66,667 bytes, those that were decoded are not left out.
  uint64_t bytes = 0;
  for (const auto& [message, entry] : found.report.diagnostics.entries()) {
    bytes += entry.bytes;
  }
  EXPECT_GT(bytes, 50'000u);
  EXPECT_LT(bytes, 60'000u);
}

#endif  // PERF2X_INTEL_PT

}  // namespace
}  // namespace perf2x
