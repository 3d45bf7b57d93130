// SPDX-License-Identifier: Apache-2.0

// Recordings of CoreSight traces, from the bytes of the container to samples
// and branch profiles.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/hwtrace/etm_decoder.h"
#include "converter/input/input.h"
#include "converter/model/branch_bound.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/etm_writer.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/read_recording.h"
#include "tests/support/temp_folder.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;

constexpr uint8_t kId = 0x10;
constexpr int32_t kThread = 101;
constexpr uint64_t kBase = 0x5500000000;  // of the mapped file

EtmWriter ProgramTrace() {
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kBase + 0x1000, kThread).Timestamp(1000);
  writer.Atoms("EENEE").Address(kBase + 0x1010).Atoms("E");
  return writer;
}

class EtmTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!EtmDecoder::InThisBuild()) GTEST_SKIP() << "without libopencsd-dev";
    std::filesystem::create_directory(folder_.File("bin"));
    const auto program = Arm64Program(CountdownProgram(), "count");
    WriteBytes(folder_.File("bin/traced"), program);
    options_.symbols.binaries.symfs = folder_.path();
  }

  static SampleId At(uint64_t time, uint32_t cpu = 0) {
    SampleId id;
    id.pid = 100;
    id.tid = kThread;
    id.time = time;
    id.id = 5;
    id.cpu = cpu;
    return id;
  }

  // A process that runs the program, without its trace.
  static Recording Program(const std::vector<EtmSource>& sources) {
    Recording recording = HardwareTraceRecording("cs_etm//");
    AddTraceInfo(kAuxtraceCsEtm, EtmInfoWords(sources), &recording);
    CommRecord comm;
    comm.pid = 100;
    comm.tid = kThread;
    comm.comm = "worker";
    recording.Add(comm, At(1));
    MmapRecord mmap;
    mmap.pid = 100;
    mmap.tid = kThread;
    mmap.addr = kBase;
    mmap.len = 0x2000;
    mmap.filename = "/bin/traced";
    recording.Add(mmap, At(2), kMiscUser);
    return recording;
  }

  // The whole of a trace that CPU 0 wrote.
  static Recording Traced(const ByteVector& trace, uint64_t flags = 0) {
    Recording recording = Program({EtmWriter::Source(0, kId)});
    AddAux({.size = trace.size(), .flags = flags}, At(100), &recording);
    AddTrace({.bytes = trace}, &recording);
    return recording;
  }

  // A line for each sample: event, thread, CPU, time, period, function and
  // address.
  Lines SamplesOf(const ByteVector& bytes) {
    Lines lines;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      const Thread& thread = tables.threads[sample.thread];
      lines.push_back(absl::StrCat(
          tables.events[sample.event].name, " ", thread.pid, "/", thread.tid,
          " cpu", sample.cpu, " @", sample.time.value_or(0), " ", sample.period,
          " ", absl::Hex(sample.ip - kBase)));
    };
    EXPECT_TRUE(
        ReadRecording(MemoryInput(bytes), options_, reader, &report_).ok());
    return lines;
  }
  // A text for each sample's branch stack, the latest branch first.
  Lines StacksOf(const Recording& recording) {
    Lines lines;
    RecordingReader reader;
    reader.needs.branches = true;
    reader.on_sample = [&](const Sample& sample, TraceTables&) {
      std::string line = absl::StrCat(sample.period, ":");
      const auto end = [](uint64_t address) {
        return address == kUnknownBranchEnd
                   ? std::string("?")
                   : absl::StrCat(absl::Hex(address - kBase));
      };
      for (const Branch& b : sample.branches) {
        absl::StrAppend(&line, " ", end(b.source), ">", end(b.target));
      }
      EXPECT_EQ(sample.branch_choice, BranchChoice::kAll);
      lines.push_back(line);
    };
    EXPECT_TRUE(ReadRecording(MemoryInput(AsFile(recording)), options_, reader,
                              &report_)
                    .ok());
    return lines;
  }
  uint64_t Counted(const std::string& message) {
    for (const auto& [text, entry] : report_.diagnostics.entries()) {
      if (absl::StartsWith(text, message)) return entry.count;
    }
    return 0;
  }

  TempFolder folder_;
  ConvertOptions options_;
  ConvertReport report_;
};

const Lines kBranches = {
    "branches 100/101 cpu0 @100 1 1008", "branches 100/101 cpu0 @100 1 1008",
    "branches 100/101 cpu0 @100 1 100c", "branches 100/101 cpu0 @100 1 101c"};

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
  writer.Sync().TraceOn().Context(kBase + 0x1004, kThread);
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
  struct TextOutput final : OutputFactory {
    absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
      return MakeStringOutput(&text);
    }
    std::string text;
  } output;
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

// The AUX record comes before its data, as in a pipe stream of perf record.
TEST_F(EtmTraceTest, DataMayComeAfterItsRecord) {
  const ByteVector trace = ProgramTrace().bytes();
  Recording recording = Program({EtmWriter::Source(0, kId)});
  AddAux({.size = trace.size(), .flags = 0x100}, At(100), &recording);
  recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  AddTrace({.bytes = trace}, &recording);
  EXPECT_EQ(SamplesOf(AsPipe(recording)), kBranches);
}

TEST_F(EtmTraceTest, FramesMayLieInSeveralRecords) {
  const ByteVector trace = ProgramTrace().Frames(kId);
  ASSERT_GT(trace.size(), 50u);
  for (const size_t size : {1, 7, 24, 50}) {
    Recording recording = Program({EtmWriter::Source(0, kId)});
    AddAux({.size = trace.size()}, At(100), &recording);
    std::vector<size_t> starts;
    for (size_t at = 0; at < trace.size(); at += size) starts.push_back(at);
    // The first comes last, so that the others are there when it comes.
    for (size_t i = starts.size(); i-- > 0;) {
      const auto from = trace.begin() + static_cast<ptrdiff_t>(starts[i]);
      const size_t n = std::min(size, trace.size() - starts[i]);
      AddTrace({.bytes = ByteVector(from, from + static_cast<ptrdiff_t>(n)),
                .offset = starts[i]},
               &recording);
    }
    EXPECT_EQ(SamplesOf(AsFile(recording)), kBranches) << size;
    EXPECT_TRUE(report_.diagnostics.entries().empty()) << size;
  }
  // A frame that has no end.
  Recording recording = Program({EtmWriter::Source(0, kId)});
  AddAux({.size = trace.size()}, At(100), &recording);
  AddTrace({.bytes = ByteVector(trace.begin(), trace.begin() + 20)},
           &recording);
  EXPECT_TRUE(SamplesOf(AsFile(recording)).size() < 4);
  EXPECT_EQ(Counted("bytes of CoreSight trace that are no packet"), 4u);
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

TEST_F(EtmTraceTest, EachRecordNamesARangeOfTheData) {
  const ByteVector one = ProgramTrace().bytes();
  ByteVector trace = one;
  trace.insert(trace.end(), one.begin(), one.end());
  Recording recording = Program({EtmWriter::Source(0, kId)});
  // The ring buffer began at 0x1000; of the first range, nothing was kept.
  AddAux({.offset = 0xf00, .size = 0x80, .flags = 0x100}, At(90), &recording);
  AddAux({.offset = 0x1000, .size = one.size(), .flags = 0x100}, At(100),
         &recording);
  AddAux({.offset = 0x1000 + one.size(), .size = one.size(), .flags = 0x101},
         At(200), &recording);
  AddTrace({.bytes = trace, .offset = 0x1000}, &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)).size(), 8u);
  EXPECT_EQ(Counted("bytes of AUX data that the recording lacks"), 0x80u);
  // Without any AUX record, all data is taken to be in frames.
  recording = Program({EtmWriter::Source(0, kId)});
  AddTrace({.bytes = ProgramTrace().Frames(kId), .offset = 0x1000}, &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)).size(), 4u);
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
TEST_F(EtmTraceTest, EveryFourthInstructionIsWork) {
  std::vector<uint32_t> loop(1023, 0xd503201f);
  loop.push_back(0x17fffc01);  // b back
  const auto program = Arm64Program(loop, "loop");
  WriteBytes(folder_.File("bin/traced"), program);
  options_.itrace = *ParseItraceOptions("i1000000i");
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kBase + 0x1000, kThread);
  for (int i = 0; i < 9'500; ++i) writer.ManyAtoms(23, 'E');
  const size_t samples =
      SamplesOf(AsFile(Traced(writer.bytes(), 0x100))).size();
  EXPECT_GT(samples, 190u);
  // Of 48 Mi steps, with four instructions each.
  EXPECT_LT(samples, 210u);
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
