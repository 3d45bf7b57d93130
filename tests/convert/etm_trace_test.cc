// SPDX-License-Identifier: Apache-2.0

// Recordings of CoreSight traces, from the bytes of the container to samples
// and branch profiles.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/input/input.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/convert/etm_trace_fixture.h"
#include "tests/support/etm_writer.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/read_recording.h"
#include "tests/support/text_output.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

TEST_F(EtmTraceTest, BranchesInEveryContainerAndFormat) {
  const Recording raw = Traced(ProgramTrace().bytes(), 0x100);
  EXPECT_EQ(SamplesOf(AsFile(raw)), kBranches);
  EXPECT_EQ(SamplesOf(AsPipe(raw)), kBranches);
  const Recording framed = Traced(ProgramTrace().Frames(kId));
  EXPECT_EQ(SamplesOf(AsFile(framed)), kBranches);
  EXPECT_TRUE(report_.diagnostics.entries().empty());
}

TEST_F(EtmTraceTest, InstructionsAtAPeriod) {
  options_.itrace = *ParseItraceOptions("i5i");
  const Recording recording = Traced(ProgramTrace().bytes(), 0x100);
  // 14 instructions ran: 1000 1004 1008 1004 1008 | 1004 1008 100c 1018 101c |
  // 1010 1014.
  const Lines lines = SamplesOf(AsFile(recording));
  EXPECT_EQ(lines, (Lines{"instructions 100/101 cpu0 @100 5 1008",
                          "instructions 100/101 cpu0 @100 5 101c"}));
  // perf's default: one of 100,000.
  options_.itrace = *ParseItraceOptions("i");
  EXPECT_TRUE(SamplesOf(AsFile(recording)).empty());
}

TEST_F(EtmTraceTest, StacksBoundAllCode) {
  EXPECT_EQ(
      StacksOf(Traced(ProgramTrace().bytes(), 0x100)),
      (Lines{"4: 1014>? 101c>1010 100c>1018 1008>1004 1008>1004 ?>1000"}));
  // Sampled stacks: what perf inject --itrace=il makes.
  options_.itrace = *ParseItraceOptions("i8il");
  EXPECT_EQ(StacksOf(Traced(ProgramTrace().bytes(), 0x100)),
            (Lines{"8: 1008>1004 1008>1004 ?>1000"}));
}

// A branch stack has 64 steps at most; the next begins with the last of them.
TEST_F(EtmTraceTest, LongFlowsAreSeveralStacks) {
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kFileStart + 0x1004, kThread);
  for (int i = 0; i < 10; ++i) writer.ManyAtoms(15, 'E');
  const Lines stacks = StacksOf(Traced(writer.bytes(), 0x100));
  ASSERT_GE(stacks.size(), 3u);
  uint64_t branches = 0;
  for (const std::string& stack : stacks) {
    branches += std::stoull(stack);
    EXPECT_TRUE(absl::EndsWith(stack, " ?>1004")) << stack;
  }
  EXPECT_EQ(branches, 159u);
}

TEST_F(EtmTraceTest, ProfilesCountEachBranchOnce) {
  TextOutput output;
  const ByteVector bytes = AsFile(Traced(ProgramTrace().bytes(), 0x100));
  const EmitterInfo& profgen = *FindEmitter("profgen");
  options_.emitter_options = WithDefaults(profgen, {});
  ASSERT_TRUE(
      Convert(MemoryInput(bytes), profgen, output, options_, &report_).ok());
  EXPECT_EQ(output.text,
            "5\n1000-1008:1\n1004-1008:1\n1004-100c:1\n1010-1014:1\n"
            "1018-101c:1\n3\n1008->1004:2\n100c->1018:1\n101c->1010:1\n");
}

TEST_F(EtmTraceTest, TimesOfTheTraceByTimeConv) {
  EtmSource source = EtmWriter::Source(0, kId);
  source.timer_time = true;
  const ByteVector trace = ProgramTrace().bytes();
  Recording recording = Program({source});
  AddTimeConversion(0, 2, 7, &recording);
  AddAux({.size = trace.size(), .flags = 0x100}, At(9000), &recording);
  AddTrace({.bytes = trace}, &recording);
  const Lines lines = SamplesOf(AsFile(recording));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "branches 100/101 cpu0 @2007 1 1008");
}

TEST_F(EtmTraceTest, ARawTraceIsOfOneSource) {
  const ByteVector trace = ProgramTrace().bytes();
  Recording recording =
      Program({EtmWriter::Source(0, kId), EtmWriter::Source(0, kId + 1)});
  AddAux({.size = trace.size(), .flags = 0x100}, At(100), &recording);
  AddTrace({.bytes = trace}, &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)), kBranches);
  EXPECT_TRUE(report_.diagnostics.entries().empty());
}

// Of a thread, on several CPUs; ids that the kernel told later.
TEST_F(EtmTraceTest, TraceOfAThread) {
  Recording recording =
      Program({EtmWriter::Source(0, 0), EtmWriter::Source(1, 0)});
  AuxOutputHwIdRecord id;
  id.hw_id = kId;
  recording.Add(id, At(3, 1));
  const ByteVector trace = ProgramTrace().Frames(kId);
  AddAux({.size = trace.size()}, At(100, ~0u), &recording);
  AddTrace({.bytes = trace, .cpu = -1, .tid = kThread}, &recording);
  const Lines lines = SamplesOf(AsFile(recording));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "branches 100/101 cpu1 @100 1 1008");
}

TEST_F(EtmTraceTest, WhatIsNotKnownIsCounted) {
  Recording recording = Traced(ProgramTrace().bytes(), 0x100);
  options_.symbols.binaries.symfs = folder_.File("nothing");
  EXPECT_TRUE(SamplesOf(AsFile(recording)).empty());
  EXPECT_GT(Counted("place in a CoreSight trace whose code was not found"), 0u);
  ASSERT_EQ(report_.findings.size(), 1u);
  EXPECT_EQ(report_.findings[0].next_step,
            "the code was not found: pass --symfs with a folder that has it");
  recording.records[0].body[8] = 9;  // the version of the description
  EXPECT_TRUE(SamplesOf(AsFile(recording)).empty());
  EXPECT_EQ(Counted("description of CoreSight trace units"), 1u);
  EtmSource speculative = EtmWriter::Source(0, kId);
  speculative.idr8 = 1;
  recording = Program({speculative});
  AddAux({.size = 64, .flags = 0x100}, At(100), &recording);
  AddTrace({.bytes = ByteVector(64)}, &recording);
  EXPECT_TRUE(SamplesOf(AsFile(recording)).empty());
  EXPECT_EQ(Counted("CoreSight trace unit that traces speculatively"), 1u);
  EXPECT_EQ(Counted("bytes of CoreSight trace of unknown trace units"), 64u);
}

TEST_F(EtmTraceTest, DamageIsCounted) {
  ByteVector trace = ProgramTrace().bytes();
  trace.insert(trace.end(), 32, 0x84);  // no packet
  EXPECT_EQ(SamplesOf(AsFile(Traced(trace, 0x100))).size(), 4u);
  EXPECT_GT(Counted("bytes of CoreSight trace that are no packet"), 0u);
}

TEST_F(EtmTraceTest, BranchesWithoutAnAddressAreCounted) {
  EtmWriter writer = ProgramTrace();
  writer.Atoms(std::string(1000, 'E'));
  EXPECT_EQ(SamplesOf(AsFile(Traced(writer.bytes(), 0x100))), kBranches);
  EXPECT_GT(Counted("bytes of CoreSight trace that do not say at which"), 100u);
}

// 10 KB stand for 233 million instructions. OpenCSD reads each, some 90 million
// in a second.
TEST_F(EtmTraceTest, EverySecondInstructionIsWork) {
  std::vector<uint32_t> loop(1023, 0xd503201f);
  loop.push_back(0x17fffc01);  // b back
  const auto program = Arm64Program(loop, "loop");
  WriteBytes(folder_.File("bin/traced"), program);
  options_.itrace = *ParseItraceOptions("i1000000i");
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kFileStart + 0x1000, kThread);
  for (int i = 0; i < 9'500; ++i) writer.ManyAtoms(23, 'E');
  const size_t samples =
      SamplesOf(AsFile(Traced(writer.bytes(), 0x100))).size();
  EXPECT_GT(samples, 80u);
  // Of 48 Mi steps, with two instructions each.
  EXPECT_LT(samples, 105u);
}

// A trace of the kernel in a recording that names no thread.
TEST_F(EtmTraceTest, TheKernelsCodeNeedsNoThread) {
  constexpr uint64_t kKernel = 0xffff800010000000;
  const auto image = Arm64Program(CountdownProgram(), "_text");
  WriteBytes(folder_.File("vmlinux"), image);
  options_.symbols.vmlinux = folder_.File("vmlinux");
  Recording recording = Program();
  std::erase_if(recording.records, [](const Recording::Record& record) {
    return record.type == CommRecord::kType || record.type == MmapRecord::kType;
  });
  MmapRecord kernel;
  kernel.pid = -1;
  kernel.tid = 0;
  kernel.addr = kernel.pgoff = kKernel;
  kernel.len = 0x2000;
  kernel.filename = "[kernel.kallsyms]_text";
  recording.Add(kernel, At(2), kMiscKernel);
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kKernel, 7).Atoms("EE");
  const ByteVector trace = writer.bytes();
  AddAux({.size = trace.size(), .flags = 0x100}, At(100), &recording);
  AddTrace({.bytes = trace}, &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)).size(), 1u);
  EXPECT_EQ(Counted("place in a CoreSight trace whose code was not found"), 0u);
}

// Any file that is cut short gives a prefix of the samples.
TEST_F(EtmTraceTest, CutAtAnyByte) {
  const ByteVector file = AsFile(Traced(ProgramTrace().Frames(kId)));
  size_t before = 0;
  for (size_t size = 400; size < file.size(); size += 7) {
    RecordingReader reader;
    size_t samples = 0;
    reader.on_sample = [&](const Sample&, TraceTables&) { ++samples; };
    ByteVector cut(file.begin(), file.begin() + static_cast<long>(size));
    if (ReadRecording(MemoryInput(cut), options_, reader).ok()) {
      EXPECT_GE(samples, before);
      before = samples;
    }
  }
}

}  // namespace
}  // namespace perf2x
