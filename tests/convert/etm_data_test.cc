// SPDX-License-Identifier: Apache-2.0

// Which AUX data of a CoreSight trace is decoded, when and with what record.

#include <gtest/gtest.h>

#include <vector>

#include "tests/convert/etm_trace_fixture.h"
#include "tests/support/etm_writer.h"
#include "tests/support/hardware_trace.h"

namespace perf2x {
namespace {

class EtmDataTest : public EtmTraceTest {};

// The AUX record comes before its data, as in a pipe stream of perf record.
TEST_F(EtmDataTest, DataMayComeAfterItsRecord) {
  const ByteVector trace = ProgramTrace().bytes();
  Recording recording = Program();
  AddAux({.size = trace.size(), .flags = 0x100}, At(100), &recording);
  recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  AddTrace({.bytes = trace}, &recording);
  EXPECT_EQ(SamplesOf(AsPipe(recording)), kBranches);
}

TEST_F(EtmDataTest, FramesMayLieInSeveralRecords) {
  const ByteVector trace = ProgramTrace().Frames(kId);
  ASSERT_GT(trace.size(), 50u);
  for (const size_t size : {1, 7, 24, 50}) {
    Recording recording = Program();
    AddAux({.size = trace.size()}, At(100), &recording);
    std::vector<size_t> starts;
    for (size_t at = 0; at < trace.size(); at += size) starts.push_back(at);
    // The first comes last, so that the others are there when it comes.
    for (size_t i = starts.size(); i-- > 0;) {
      AddTrace({.bytes = PartOf(trace, starts[i], starts[i] + size),
                .offset = starts[i]},
               &recording);
    }
    EXPECT_EQ(SamplesOf(AsFile(recording)), kBranches) << size;
    EXPECT_TRUE(report_.diagnostics.entries().empty()) << size;
  }
  // A frame that has no end.
  Recording recording = Program();
  AddAux({.size = trace.size()}, At(100), &recording);
  AddTrace({.bytes = PartOf(trace, 0, 20)}, &recording);
  EXPECT_TRUE(SamplesOf(AsFile(recording)).size() < 4);
  EXPECT_EQ(Counted("bytes of CoreSight trace that are no packet"), 4u);
}

TEST_F(EtmDataTest, EachRecordNamesARangeOfTheData) {
  const ByteVector one = ProgramTrace().bytes();
  ByteVector trace = one;
  trace.insert(trace.end(), one.begin(), one.end());
  Recording recording = Program();
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
  recording = Program();
  AddTrace({.bytes = ProgramTrace().Frames(kId), .offset = 0x1000}, &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)).size(), 4u);
}

TEST_F(EtmDataTest, APlaceDoesNotWaitForAnother) {
  const ByteVector trace = ProgramTrace().bytes();
  Recording recording =
      Program({EtmWriter::Source(0, kId), EtmWriter::Source(1, kId + 1)});
  AddAux({.size = 64, .flags = 0x100}, At(90, 1), &recording);
  AddTrace({.bytes = trace}, &recording);
  AddAux({.size = trace.size(), .flags = 0x100}, At(100), &recording);
  AddMapping(200, "/bin/other", &recording);
  AddTrace({.bytes = ByteVector(64), .offset = 1000, .cpu = 1}, &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)), kBranches);
  EXPECT_EQ(SamplesOf(AsPipe(recording)), kBranches);
  EXPECT_EQ(Counted("bytes of AUX data that the recording lacks"), 128u);
}

TEST_F(EtmDataTest, DataThatIsNotDecodedIsCounted) {
  const ByteVector trace = ProgramTrace().bytes();
  Recording recording = Traced(trace, 0x100);
  AddTrace({.bytes = trace, .offset = trace.size()}, &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)), kBranches);
  EXPECT_EQ(Counted("bytes of CoreSight trace that no AUX record names"),
            trace.size());
  SamplesOf(AsFile(Traced(ProgramTrace().Frames(kId + 1))));
  EXPECT_GE(Counted("bytes of CoreSight trace of unknown trace units"),
            trace.size());
  SamplesOf(AsFile(Traced(ByteVector(500, 0xf7), 0x100)));
  EXPECT_EQ(Counted("bytes of CoreSight trace without a synchronization"),
            500u);
}

TEST_F(EtmDataTest, DataThatComesTwiceIsDecodedOnce) {
  const ByteVector trace = ProgramTrace().bytes();
  Recording recording = Program();
  AddTrace({.bytes = PartOf(trace, 0, 32)}, &recording);
  AddTrace({.bytes = trace}, &recording);
  AddAux({.size = trace.size(), .flags = 0x100}, At(100), &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)), kBranches);
  EXPECT_EQ(Counted("AUXTRACE record of whose data a part came before"), 1u);
  EXPECT_EQ(report_.diagnostics.entries().size(), 1u);
  AddAux({.size = trace.size() - 8, .flags = 0x100}, At(200), &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)), kBranches);
  EXPECT_EQ(Counted("bytes of AUX data that an AUX record before names, too"),
            trace.size() - 8);
}

// Records that name nothing, or what cannot be.
TEST_F(EtmDataTest, WithoutANameAllDataIsDecoded) {
  const ByteVector trace = ProgramTrace().bytes();
  Recording recording = Program();
  AddTrace({.bytes = trace}, &recording);
  AddAux({.flags = 0x100}, At(100), &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)).size(), 4u);
  AddAux({.offset = ~uint64_t{0} - 7, .size = 64, .flags = 0x100}, At(100),
         &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)).size(), 4u);
  EXPECT_EQ(Counted("AUX record of more data than there can be"), 1u);
}

// What is missing in the middle of a range is a gap.
TEST_F(EtmDataTest, DataMayLackAPart) {
  ByteVector trace = ProgramTrace().bytes();
  trace.resize((trace.size() + 15) / 16 * 16, 0x70);
  Recording recording = Program();
  AddTrace({.bytes = trace}, &recording);
  AddTrace({.bytes = trace, .offset = trace.size() + 32}, &recording);
  AddAux({.size = 2 * trace.size() + 32, .flags = 0x100}, At(100), &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)).size(), 8u);
  EXPECT_EQ(Counted("bytes of AUX data that the recording lacks"), 32u);
  EXPECT_EQ(report_.diagnostics.entries().size(), 1u);
}

}  // namespace
}  // namespace perf2x
