// SPDX-License-Identifier: Apache-2.0

// Buffers of Intel PT trace that continue, repeat or overlap one another.

#ifdef PERF2X_INTEL_PT
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "converter/hwtrace/pt_decoder.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/mmap_record.h"
#include "tests/support/pt_recording_test.h"

namespace perf2x {
namespace {

// Adds a buffer of thread 100: the bytes [begin, end) of its trace.
void AddPart(const ByteVector& trace, size_t begin, size_t end,
             Recording* recording) {
  AddTrace({.bytes = PartOf(trace, begin, end),
            .offset = begin,
            .cpu = -1,
            .tid = 100},
           recording);
}

// Adds a record of another process, and the end of a round.
void AddRound(uint64_t time, Recording* recording) {
  CommRecord comm;
  comm.pid = comm.tid = 8;
  comm.comm = "other";
  recording->Add(comm, At(time, 8));
  recording->records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
}

TEST_F(IntelPtRecordingTest, BuffersMayEndWithinPackets) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const ByteVector whole = TraceOf(&program, 1500, 250);
  const Lines expected = LinesOf(program, 100);
  for (size_t cut = 0; cut < whole.size(); cut += 7) {
    Recording recording = NewProcessRecording();
    // Three pieces, of which the second may lack a PSB.
    const size_t next = std::min(cut + 40, whole.size());
    AddPart(whole, 0, cut, &recording);
    AddPart(whole, cut, next, &recording);
    AddPart(whole, next, whole.size(), &recording);
    const Found found = SamplesOf(AsFile(recording), "i1i");
    ASSERT_EQ(found.samples, expected) << cut;
  }
}

// However many buffers come before the next PSB, and however often the process
// maps files meanwhile.
TEST_F(IntelPtRecordingTest, ManyBuffersContinueOneAnother) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const ByteVector whole = TraceOf(&program, 6000, 100'000);
  constexpr size_t kSize = 16;
  ASSERT_GT(whole.size(), 100 * kSize);
  for (const bool maps : {false, true}) {
    Recording recording = NewProcessRecording();
    for (size_t at = 0; at < whole.size(); at += kSize) {
      AddPart(whole, at, at + kSize, &recording);
      if (!maps) continue;
      recording.Add(MmapOf(100, "/lib/b", 0x10000000 + at * 0x1000),
                    At(10'000 + at, 100), kMiscUser);
      recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
    }
    const Found found = SamplesOf(AsFile(recording), "i1i");
    EXPECT_EQ(found.samples.size(), 6000u);
    EXPECT_EQ(found.samples, LinesOf(program, 100)) << maps;
    EXPECT_EQ(found.report.diagnostics.entries().size(), 0u);
  }
}

// What came before the end of a buffer is not decoded again for ever.
TEST_F(IntelPtRecordingTest, StretchesInTooManyBuffersAreCounted) {
  PtProgram program(ByteVector{0x90, 0x90, 0x74, 0xfc, 0x90, 0x90});
  Install("/bin/a", program);
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  for (int i = 0; i < 6 * 4000; ++i) trace.Tnt(true);
  trace.Psb(kBase, 2'000);
  for (int i = 0; i < 60; ++i) trace.Tnt(true);
  const ByteVector whole = trace.Bytes();
  Recording recording = NewProcessRecording();
  for (size_t at = 0; at < whole.size(); at += 8) {
    AddPart(whole, at, at + 8, &recording);
  }
  const Found found = SamplesOf(AsFile(recording), "b");
  EXPECT_GT(found.CountOf("followed to its end: it comes in too many"), 0u);
  // Of the n-th buffer, n * 8 bytes are decoded: 256 KiB, and the trace once.
  EXPECT_GT(found.samples.size(), 6u * 8 * 250);
  EXPECT_LT(found.samples.size(), 6u * 8 * 265);
  // All other buffers are counted, but for three from the second PSB packet's
  // end on. So is the first one, which has half a PSB packet.
  const size_t before = PtDecoder::FindPsb(whole, 1) - 4000;
  const size_t followed = (found.samples.size() / 6 + before) / 8 * 8;
  EXPECT_EQ(found.CountOf("bytes of Intel PT trace before a PSB"),
            whole.size() - followed - 3 * 8 + 8);
}

TEST_F(IntelPtRecordingTest, BuffersBeforeTheFirstPsbAreCounted) {
  Recording recording = NewProcessRecording();
  const ByteVector zeros(116);
  AddPart(zeros, 0, 8, &recording);
  AddPart(zeros, 8, 16, &recording);
  AddPart(zeros, 16, zeros.size(), &recording);
  const Found found = SamplesOf(AsFile(recording), "b");
  EXPECT_EQ(found.CountOf("bytes of Intel PT trace before a PSB"), 116u);
}

// A program of which only a part is traced.
TEST_F(IntelPtRecordingTest, BuffersMayEndAtPsbsWithoutMode) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  Install("/bin/a", program);
  PtWriter trace;
  trace.Psb(kBase, 10'000);
  trace.Disable(program.Run(kBase, 300, 1000, 3, &trace));
  for (int i = 0; i < 3; ++i) {
    trace.Psb(0, 11'000 + i, /*has_mode=*/false);
    trace.Mode();
    trace.Enable(kBase);
    trace.Disable(program.Run(kBase, 100, 1000, i, &trace));
  }
  const ByteVector whole = trace.Bytes();
  const Lines expected = LinesOf(program, 100);
  for (size_t cut = 1; cut < whole.size(); cut += 5) {
    Recording recording = NewProcessRecording();
    AddPart(whole, 0, cut, &recording);
    AddPart(whole, cut, whole.size(), &recording);
    const Found found = SamplesOf(AsFile(recording), "i1i");
    ASSERT_EQ(found.samples, expected) << cut;
  }
}

// perf pads buffers to 8 bytes, but does not count that in the next one's
// place.
TEST_F(IntelPtRecordingTest, BuffersMayBePadded) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  Install("/bin/a", program);
  PtWriter trace;
  trace.Psb(kBase, 10'000);
  const uint64_t next = program.Run(kBase, 500, 1000, 3, &trace);
  const size_t cut = trace.Bytes().size();
  trace.Disable(program.Run(next, 300, 1000, 4, &trace));
  const ByteVector whole = trace.Bytes();
  for (size_t padding = 0; padding < 8; ++padding) {
    Recording recording = NewProcessRecording();
    ByteVector first = PartOf(whole, 0, cut);
    first.resize(first.size() + padding);
    AddTrace({.bytes = first, .cpu = -1, .tid = 100}, &recording);
    AddPart(whole, cut, whole.size(), &recording);
    const Found found = SamplesOf(AsFile(recording), "i1i");
    EXPECT_EQ(found.samples, LinesOf(program, 100)) << padding;
    EXPECT_EQ(found.report.diagnostics.entries().size(), 0u) << padding;
  }
}

TEST_F(IntelPtRecordingTest, WhatSnapshotsHaveInCommonComesOnce) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const ByteVector whole = TraceOf(&program, 1500, 250);
  const size_t second =
      PtDecoder::FindPsb(whole, PtDecoder::FindPsb(whole, 1) + 1);
  const ByteVector next = PartOf(whole, second - 10);
  for (const size_t padding : {0, 5}) {
    for (size_t end = second + 20; end < whole.size(); end += 31) {
      Recording recording = NewPtRecording();
      recording.records[1].body[8 * 9] = 1;
      AddProcess(100, "/bin/a", &recording);
      ByteVector first = PartOf(whole, 0, end);
      first.resize(first.size() + padding);
      AddTrace({.bytes = first, .cpu = -1, .tid = 100}, &recording);
      AddTrace({.bytes = next, .cpu = -1, .tid = 100}, &recording);
      AddTrace({.bytes = next, .cpu = -1, .tid = 100}, &recording);
      const Found found = SamplesOf(AsFile(recording), "i1i");
      ASSERT_EQ(found.samples, LinesOf(program, 100)) << end;
    }
  }
}

// As perf does in a long recording, the first buffer is decoded before the
// second one is read.
TEST_F(IntelPtRecordingTest, BuffersContinueThoseThatWereDecoded) {
  PtProgram program(ByteVector{0x90, 0x90, 0x74, 0xfc, 0x90, 0x90});
  Install("/bin/a", program);
  // jz to itself
  Install("/bin/b", PtProgram(ByteVector{0x74, 0xfe, 0x90, 0x90}));
  PtWriter trace;
  trace.Psb(kBase, 1'000);
  for (int i = 0; i < 600; ++i) trace.Tnt(true);
  trace.Tsc(5'000);
  for (int i = 0; i < 600; ++i) trace.Tnt(true);
  const size_t cut = trace.Bytes().size();
  trace.Tsc(400'000);
  for (int i = 0; i < 600; ++i) trace.Tnt(true);
  const ByteVector whole = trace.Bytes();
  for (const bool is_replaced : {false, true}) {
    Recording recording = NewProcessRecording();
    AddPart(whole, 0, cut, &recording);
    for (const uint64_t time : {100'000, 200'000, 300'000}) {
      if (is_replaced && time == 100'000) {
        recording.Add(MmapOf(100, "/bin/b", 0x401000, 0x10000, 0x1000),
                      At(time, 100), kMiscUser);
      }
      AddRound(time, &recording);
    }
    AddPart(whole, cut, whole.size(), &recording);
    const Found found = SamplesOf(AsFile(recording), "i1i");
    EXPECT_EQ(found.samples.size(), is_replaced ? 3600u + 600u : 5400u);
    EXPECT_EQ(found.report.diagnostics.entries().size(), 0u);
    // All but the last one, whose end is not seen.
    EXPECT_EQ(SamplesOf(AsFile(recording), "b").samples.size(), 1799u);
    EXPECT_EQ(SamplesOf(AsPipe(recording), "b").samples.size(), 1799u);
  }
}

// What is decoded again was executed by another process than the one that runs
// when the next buffer comes.
TEST_F(IntelPtRecordingTest, BuffersContinueThoseOfOtherProcesses) {
  PtProgram a = PtProgram::Random(1, 3, 10), b = PtProgram::Random(2, 3, 10);
  Install("/bin/a", a);
  Install("/bin/b", b);
  PtWriter trace;
  trace.Psb(kBase, 10'000);
  trace.Disable(a.Run(kBase, 300, 1000, 1, &trace));
  trace.Tsc(20'000);
  trace.Enable(kBase);
  const size_t change_at = trace.Bytes().size();
  trace.Disable(b.Run(kBase, 300, 1000, 2, &trace));
  const ByteVector whole = trace.Bytes();
  Lines expected = LinesOf(a, 100);
  for (const std::string& line : LinesOf(b, 200)) expected.push_back(line);
  ItraceStartRecord start;
  start.pid = start.tid = 100;
  SwitchCpuWideRecord change;
  change.next_prev_pid = change.next_prev_tid = 200;
  for (size_t cut = change_at; cut < whole.size(); cut += 5) {
    Recording recording = NewProcessRecording();
    AddProcess(200, "/bin/b", &recording);
    AddTrace({.bytes = PartOf(whole, 0, cut)}, &recording);
    recording.Add(start, At(9'000, 100));
    recording.Add(change, At(15'000, 100), kMiscSwitchOut);
    for (const uint64_t time : {30'000, 40'000, 50'000}) {
      AddRound(time, &recording);
    }
    AddTrace({.bytes = PartOf(whole, cut), .offset = cut}, &recording);
    ASSERT_EQ(SamplesOf(AsFile(recording), "i1i").samples, expected) << cut;
  }
}

TEST_F(IntelPtRecordingTest, RepeatedAndMissingDataIsCounted) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const ByteVector bytes = TraceOf(&program, 500, 100);
  Recording recording = NewProcessRecording();
  AddAux({.size = bytes.size()}, At(10, 100), &recording);
  AddTrace({.bytes = bytes, .tid = 100}, &recording);
  ItraceStartRecord start;
  start.pid = start.tid = 100;
  recording.Add(start, At(900, 100));
  Found found = SamplesOf(AsFile(recording), "i1i");
  EXPECT_EQ(found.samples, LinesOf(program, 100));
  EXPECT_EQ(found.report.diagnostics.entries().size(), 0u);

  AddAux({.offset = bytes.size(), .size = 1000}, At(20, 100), &recording);
  AddTrace({.bytes = bytes, .tid = 100}, &recording);
  found = SamplesOf(AsFile(recording), "i1i");
  EXPECT_EQ(found.samples, LinesOf(program, 100));
  EXPECT_EQ(found.CountOf("AUXTRACE record whose data came before"), 1u);
  EXPECT_EQ(found.CountOf("bytes of AUX data that the recording lacks"), 1000u);
  // Of a snapshot, the data that was overwritten is not missed.
  recording.records[1].body[8 * 9] = 1;
  found = SamplesOf(AsFile(recording), "i1i");
  EXPECT_EQ(found.CountOf("bytes of AUX data that the recording lacks"), 0u);
}

TEST_F(IntelPtRecordingTest, OverlappingDataIsDecodedOnce) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const ByteVector whole = TraceOf(&program, 500, 100);
  Recording recording = NewProcessRecording();
  AddPart(whole, 0, 200, &recording);
  AddPart(whole, 0, 220, &recording);
  AddPart(whole, 50, whole.size(), &recording);
  const Found found = SamplesOf(AsFile(recording), "i1i");
  EXPECT_EQ(found.samples, LinesOf(program, 100));
  EXPECT_EQ(found.CountOf("of whose data a part came before"), 2u);
}

TEST_F(IntelPtRecordingTest, DataAroundWhatCameBeforeIsDecoded) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const ByteVector whole = TraceOf(&program, 500, 50);
  ASSERT_GT(whole.size(), 300u);
  Recording recording = NewProcessRecording();
  AddPart(whole, 100, 200, &recording);
  AddPart(whole, 0, whole.size(), &recording);
  const Found found = SamplesOf(AsFile(recording), "i1i");
  const Lines expected = LinesOf(program, 100);
  const auto has = [&](const std::string& line) {
    return std::count(found.samples.begin(), found.samples.end(), line);
  };
  EXPECT_GT(has(expected.front()), 0);
  ASSERT_FALSE(found.samples.empty());
  EXPECT_EQ(found.samples.back(), expected.back());
  EXPECT_GT(found.samples.size(), expected.size() / 2);
  EXPECT_EQ(found.CountOf("of whose data a part came before"), 1u);
}

// The AUX record says neither CPU nor thread.
TEST_F(IntelPtRecordingTest, WithoutTrailersTheOnlyBufferIsNamed) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  for (const int32_t cpu : {-1, 0}) {
    Recording recording = RecordingOf(&program, 100, 1000);
    recording.events[0].attr.flags &= ~kSampleIdAll;
    ByteVector* cpu_of = &recording.records.back().body;
    for (size_t i = 0; i < 4; ++i) {
      (*cpu_of)[32 + i] = static_cast<uint8_t>(cpu < 0 ? 0xff : 0);
    }
    const size_t size = recording.records.back().payload.size();
    AddAux({.size = size}, SampleId(), &recording);
    const Found found = SamplesOf(AsFile(recording), "i1i");
    EXPECT_EQ(found.CountOf("bytes of AUX data that the recording lacks"), 0u)
        << cpu;
  }
}

TEST_F(IntelPtRecordingTest, APlaceWithoutCpuAndThreadIsItsOwn) {
  PtProgram program = PtProgram::Random(4, 4, 12);
  const ByteVector trace = TraceOf(&program, 500, 1000);
  Recording recording = NewProcessRecording();
  AddTrace({.bytes = trace, .tid = 100}, &recording);
  AddTrace({.bytes = trace, .cpu = -1}, &recording);
  const Found found = SamplesOf(AsFile(recording), "i1i");
  EXPECT_EQ(found.samples, LinesOf(program, 100));
  EXPECT_EQ(found.CountOf("came before"), 0u);
  EXPECT_EQ(found.CountOf("of a thread that is not known"), 1u);
}

}  // namespace
}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
