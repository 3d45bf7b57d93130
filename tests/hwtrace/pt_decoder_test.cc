// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/pt_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/pt_program.h"
#include "tests/support/pt_writer.h"

namespace perf2x {
namespace {

TEST(PtSettingsTest, ProcessorsByName) {
  PtSettings settings;
  SetPtProcessor("GenuineIntel,6,78,3", &settings);
  EXPECT_EQ(settings.family, 6);
  EXPECT_EQ(settings.model, 78);
  EXPECT_EQ(settings.stepping, 3);
  for (const char* other :
       {"AuthenticAMD,23,1,1", "GenuineIntel,6", "", ",,,"}) {
    PtSettings none;
    SetPtProcessor(other, &none);
    EXPECT_EQ(none.family, 0) << other;
  }
}

TEST(PtDecoderTest, FindsPsbPackets) {
  ByteVector trace(3, 0);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 8; ++j) trace.insert(trace.end(), {0x02, 0x82});
    trace.push_back(0);
  }
  EXPECT_EQ(PtDecoder::FindPsb(trace, 0), 3u);
  EXPECT_EQ(PtDecoder::FindPsb(trace, 4), 20u);
  EXPECT_EQ(PtDecoder::FindPsb(trace, 21), PtDecoder::kNowhere);
  EXPECT_EQ(PtDecoder::FindPsb(trace, 1000), PtDecoder::kNowhere);
}

#ifdef PERF2X_INTEL_PT

using StepKind = PtStep::Kind;
constexpr uint64_t kBase = PtProgram::kBase;

std::vector<PtStep> StepsOf(const ByteVector& trace, TracedCode& code,
                            size_t stop = PtDecoder::kNowhere) {
  std::vector<PtStep> steps;
  PtDecoder decoder(trace, PtSettings(), code, stop);
  PtStep step;
  while (decoder.Next(&step)) steps.push_back(step);
  EXPECT_EQ(step.kind, StepKind::kNone);
  return steps;
}

std::vector<uint64_t> InstructionsOf(const std::vector<PtStep>& steps) {
  std::vector<uint64_t> out;
  for (const PtStep& step : steps) {
    if (step.kind == StepKind::kInstruction) out.push_back(step.ip);
  }
  return out;
}

TEST(PtDecoderTest, FollowsTheProgramStepByStep) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    PtProgram program = PtProgram::Random(seed, 4, 12);
    PtWriter trace;
    trace.Psb(kBase, 1000);
    trace.Disable(program.Run(kBase, 3000, 700, seed, &trace));
    const std::vector<PtStep> steps = StepsOf(trace.Bytes(), program);
    EXPECT_EQ(InstructionsOf(steps), program.executed()) << seed;
    EXPECT_EQ(steps.back().kind, StepKind::kDisabled);
  }
}

// Tracing was disabled; what enabled it again is missing in the trace.
TEST(PtDecoderTest, BeginsAnewAtAPsbThatDoesNotFollow) {
  PtProgram program = PtProgram::Random(1, 4, 12);
  PtWriter trace;
  trace.Psb(kBase, 1000);
  trace.Disable(program.Run(kBase, 500, 1000, 1, &trace));
  for (int i = 0; i < 3; ++i) {
    trace.Psb(kBase, 2000);
    trace.Disable(program.Run(kBase, 500, 1000, 1, &trace));
  }
  const std::vector<PtStep> steps = StepsOf(trace.Bytes(), program);
  EXPECT_EQ(InstructionsOf(steps), program.executed());
  EXPECT_EQ(std::count_if(steps.begin(), steps.end(),
                          [](const PtStep& step) {
                            return step.kind == StepKind::kLost;
                          }),
            3);
}

TEST(PtDecoderTest, StopsAtAPsbAndGoesOnThere) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    PtProgram program = PtProgram::Random(seed, 4, 12);
    PtWriter writer;
    writer.Psb(kBase, 1000);
    program.Run(kBase, 3000, 700, seed, &writer);
    const ByteVector trace = writer.Bytes();
    const std::vector<uint64_t> whole = InstructionsOf(StepsOf(trace, program));
    const size_t second =
        PtDecoder::FindPsb(trace, PtDecoder::FindPsb(trace, 1));
    std::vector<uint64_t> parts =
        InstructionsOf(StepsOf(trace, program, second));
    for (const uint64_t ip :
         InstructionsOf(StepsOf(PartOf(trace, second), program))) {
      parts.push_back(ip);
    }
    EXPECT_EQ(parts, whole) << seed;
  }
}

// While tracing is disabled, a PSB has no address, and may have no mode.
TEST(PtDecoderTest, StopsAtAPsbWithoutMode) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    PtProgram program = PtProgram::Random(seed, 4, 12);
    PtWriter writer;
    writer.Psb(0, 1000, /*has_mode=*/false);
    for (int i = 0; i < 6; ++i) {
      writer.Mode();
      writer.Enable(kBase);
      writer.Disable(program.Run(kBase, 300, 1000, seed + i, &writer));
      writer.Psb(0, 2000 + i, /*has_mode=*/false);
      if (i == 3) writer.Psb(0, 3000, /*has_mode=*/false);
    }
    const ByteVector trace = writer.Bytes();
    ASSERT_EQ(InstructionsOf(StepsOf(trace, program)), program.executed());
    for (size_t psb = PtDecoder::FindPsb(trace, 1); psb != PtDecoder::kNowhere;
         psb = PtDecoder::FindPsb(trace, psb + 1)) {
      const ByteVector head = PartOf(trace, 0, psb + 100);
      std::vector<uint64_t> parts = InstructionsOf(StepsOf(head, program, psb));
      for (const uint64_t ip :
           InstructionsOf(StepsOf(PartOf(trace, psb), program))) {
        parts.push_back(ip);
      }
      EXPECT_EQ(parts, program.executed()) << seed << " " << psb;
    }
  }
}

// nop; nop; jz back
constexpr uint8_t kLoop[] = {0x90, 0x90, 0x74, 0xfc, 0x90, 0x90, 0xeb, 0xfc};

TEST(PtDecoderTest, EventsAreSteps) {
  PtProgram program(ByteVector(std::begin(kLoop), std::end(kLoop)));
  PtWriter trace;
  trace.Psb(kBase, 1000);
  trace.Tnt(true);
  trace.Transaction(kBase + 1, /*aborted=*/false);
  trace.Tnt(true);
  trace.PowerEntry(3);
  trace.PowerExit(1, 3);
  trace.Interrupt(kBase + 1, kBase);
  trace.Ratio(17);
  trace.Tnt(true);
  trace.Overflow(kBase + 2);
  trace.Tnt(true);
  trace.Disable(kBase + 1);
  std::string text;
  for (const PtStep& step : StepsOf(trace.Bytes(), program)) {
    switch (step.kind) {
      case StepKind::kInstruction:
        absl::StrAppend(&text, step.ip - kBase, " ");
        break;
      case StepKind::kTransaction:
        absl::StrAppend(&text, "x:", step.text, "@", step.ip - kBase, " ");
        break;
      case StepKind::kPower:
        absl::StrAppend(&text, step.text, "=", step.payload, " ");
        break;
      case StepKind::kInterrupt:
        absl::StrAppend(&text, "i:", step.ip - kBase, ">", step.to - kBase,
                        " ");
        break;
      default:
        absl::StrAppend(&text, "k", static_cast<int>(step.kind), " ");
        break;
    }
  }
  const std::string k =
      absl::StrCat("k", static_cast<int>(StepKind::kOverflow), " ");
  EXPECT_EQ(text, absl::StrCat("k", static_cast<int>(StepKind::kBegin),
                               " 0 1 2 0 x:begins@1 1 2 pwre=3 pwrx=769 0 "
                               "i:1>0 cbr=17 0 1 2 ",
                               k, "2 0 k",
                               static_cast<int>(StepKind::kDisabled), " "));
}

TEST(PtDecoderTest, UnknownCodeIsSkippedUpToTheNextPsb) {
  PtProgram program(ByteVector(std::begin(kLoop), std::end(kLoop)));
  PtWriter trace;
  trace.Psb(kBase, 1000);
  trace.Tnt(true);
  trace.Interrupt(kBase + 1, 0x7000);
  trace.Tnt(true);
  trace.Psb(kBase, 2000);
  trace.Tnt(true);
  const ByteVector bytes = trace.Bytes();
  const std::vector<PtStep> steps = StepsOf(bytes, program);
  std::vector<StepKind> kinds;
  for (const PtStep& step : steps) kinds.push_back(step.kind);
  const StepKind i = StepKind::kInstruction;
  EXPECT_EQ(kinds, (std::vector<StepKind>{
                       StepKind::kBegin, i, i, i, i, StepKind::kInterrupt,
                       StepKind::kUnknownCode, StepKind::kBegin, i, i, i}));
  EXPECT_EQ(steps[6].ip, 0x7000u);
}

// Nothing in the trace tells the place: code leads there.
TEST(PtDecoderTest, UnknownCodeAfterKnownCode) {
  // nop; nop; jmp over all that is known; or on to what is not.
  const ByteVector jump = {0x90, 0x90, 0xe9, 0xf9, 0x0f, 0, 0};
  for (const ByteVector& code : {jump, ByteVector(2, 0x90)}) {
    PtProgram program(code);
    PtWriter trace;
    trace.Psb(kBase, 1000);
    trace.Tnt(true);
    const std::vector<PtStep> steps = StepsOf(trace.Bytes(), program);
    std::vector<uint64_t> executed = {kBase, kBase + 1};
    if (code == jump) executed.push_back(kBase + 2);
    EXPECT_EQ(InstructionsOf(steps), executed);
    EXPECT_EQ(steps.back().kind, StepKind::kUnknownCode);
    EXPECT_EQ(steps.back().ip, code == jump ? kBase + 0x1000 : kBase + 2);
  }
}

// The place of a PSB packet is where the code is not known.
TEST(PtDecoderTest, UnknownCodeAtAPsbIsFoundOnce) {
  PtProgram program(ByteVector(std::begin(kLoop), std::end(kLoop)));
  PtWriter trace;
  trace.Psb(kBase, 1000);
  trace.Interrupt(kBase + 1, 0x7000);
  trace.Psb(0x7000, 2000);
  trace.Tnt(true);
  trace.Psb(kBase, 3000);
  trace.Tnt(true);
  const ByteVector bytes = trace.Bytes();
  std::vector<StepKind> kinds;
  for (const PtStep& step : StepsOf(bytes, program)) kinds.push_back(step.kind);
  const StepKind i = StepKind::kInstruction;
  EXPECT_EQ(kinds, (std::vector<StepKind>{
                       StepKind::kBegin, i, StepKind::kInterrupt,
                       StepKind::kUnknownCode, StepKind::kBegin, i, i, i}));
}

TEST(PtDecoderTest, TimesAreThoseOfTheTrace) {
  PtProgram program(ByteVector(std::begin(kLoop), std::end(kLoop)));
  PtWriter trace;
  trace.Psb(kBase, 1000);
  trace.Tnt(true);
  trace.Disable(kBase);
  trace.Tsc(5000);
  trace.Enable(kBase);
  trace.Tnt(true);
  const ByteVector bytes = trace.Bytes();
  PtDecoder decoder(bytes, PtSettings(), program);
  PtStep step;
  std::vector<uint64_t> times;
  while (decoder.Next(&step)) times.push_back(decoder.tsc().value_or(0));
  // The time is known before the step that it is of: those of kBegin, of three
  // instructions, and of kDisabled, after which 5000 is next.
  ASSERT_EQ(times.size(), 9u);
  EXPECT_EQ(times[0], 1000u);
  EXPECT_EQ(times[3], 1000u);
  EXPECT_EQ(times[4], 5000u);
}

// Counts how often code is read.
class CountedCode final : public TracedCode {
 public:
  explicit CountedCode(TracedCode& code) : code_(code) {}
  size_t Read(uint64_t address, absl::Span<uint8_t> to) override {
    ++reads;
    return code_.Read(address, to);
  }
  uint64_t reads = 0;

 private:
  TracedCode& code_;
};

uint64_t WorkOf(const ByteVector& trace, const char* processor,
                TracedCode& code, uint64_t* steps) {
  PtSettings settings;
  SetPtProcessor(processor, &settings);
  PtDecoder decoder(trace, settings, code);
  PtStep step;
  for (*steps = 0; decoder.Next(&step);) ++*steps;
  const uint64_t work = decoder.TakeWork();
  EXPECT_EQ(decoder.TakeWork(), 0u);
  return work;
}

// On some processors, libipt reads far ahead at each branch (erratum BDM64).
TEST(PtDecoderTest, EachReadOfCodeIsWork) {
  ByteVector code(500, 0x90);
  for (size_t i = 0; i < code.size(); i += 2) code[i] = 0xeb, code[i + 1] = 0;
  code.insert(code.end(), {0x90, 0x90, 0xc3});
  PtProgram program(code);
  PtWriter writer;
  writer.Psb(kBase + 500, 1000);
  for (int i = 0; i < 100; ++i) {
    writer.Tip(kBase + 500);
    writer.Interrupt(kBase + 500, kBase);
    writer.Interrupt(kBase, kBase + 500);
  }
  const ByteVector trace = writer.Bytes();
  for (const char* processor : {"GenuineIntel,6,61,3", "GenuineIntel,6,78,3"}) {
    CountedCode counted(program);
    uint64_t steps = 0;
    const uint64_t work = WorkOf(trace, processor, counted, &steps);
    EXPECT_GT(steps, 300u);
    EXPECT_GE(work, counted.reads) << processor;
  }
}

TEST(PtDecoderTest, PacketsThatAreNoStepAreWork) {
  PtProgram program(ByteVector(std::begin(kLoop), std::end(kLoop)));
  PtWriter writer;
  writer.Psb(kBase, 1000);
  ByteVector trace = writer.Bytes();
  constexpr uint64_t kPackets = 100'000;
  trace.insert(trace.end(), kPackets, 0x03);  // CYC packets
  uint64_t steps = 0;
  EXPECT_GE(WorkOf(trace, "", program, &steps), kPackets / 4);
  EXPECT_LT(steps, 10u);
}

TEST(PtDecoderTest, PsbPacketsInVainAreWork) {
  PtProgram program(ByteVector(std::begin(kLoop), std::end(kLoop)));
  // The end comes before the PSBEND packet.
  ByteVector trace;
  for (int i = 0; i < 8; ++i) trace.insert(trace.end(), {0x02, 0x82});
  constexpr uint64_t kPackets = 100'000;
  trace.insert(trace.end(), kPackets, 0x03);  // CYC packets
  uint64_t steps = 0;
  EXPECT_GE(WorkOf(trace, "", program, &steps), kPackets / 4);
  EXPECT_LT(steps, 10u);
  // No PSBEND packet ever: each packet is one in vain.
  trace.clear();
  constexpr uint64_t kPsbs = 10'000;
  for (uint64_t i = 0; i < kPsbs + 7; ++i) {
    trace.insert(trace.end(), {0x02, 0x82});
  }
  EXPECT_GE(WorkOf(trace, "", program, &steps), kPsbs * 8);
}

TEST(PtDecoderTest, WhatIsToBeDecodedAgain) {
  PtProgram program(ByteVector(std::begin(kLoop), std::end(kLoop)));
  PtWriter writer;
  writer.Psb(kBase, 1000);
  for (int i = 0; i < 5000; ++i) writer.Tnt(true);
  const size_t second = writer.Bytes().size();
  writer.Psb(kBase, 2000);
  writer.Tnt(true);
  const size_t third = writer.Bytes().size();
  const auto tail_of = [&](const ByteVector& trace) {
    PtDecoder decoder(trace, PtSettings(), program);
    for (PtStep step; decoder.Next(&step);) {
    }
    return decoder.tail();
  };
  ByteVector trace = writer.Bytes();
  PtDecoder::Tail tail = tail_of(trace);
  EXPECT_TRUE(tail.in_flow);
  EXPECT_EQ(tail.from, second);
  EXPECT_EQ(tail.steps, 3u);
  // Cut within the second PSB packet's own: the first one goes on.
  trace.resize(second + 20);
  tail = tail_of(trace);
  EXPECT_TRUE(tail.in_flow);
  EXPECT_EQ(tail.from, 0u);
  // The flow is lost: only a part of a PSB packet matters.
  trace = writer.Bytes();
  trace.resize(third + 1000, 0xff);
  tail = tail_of(trace);
  EXPECT_FALSE(tail.in_flow);
  EXPECT_EQ(tail.from, trace.size() - 15);
  // It never began: the PSB packet is cut, or its end never comes.
  trace = writer.Bytes();
  trace.resize(20);
  tail = tail_of(trace);
  EXPECT_FALSE(tail.in_flow);
  EXPECT_EQ(tail.from, 0u);
  trace.resize(16);
  trace.resize(2000, 0x03);
  tail = tail_of(trace);
  EXPECT_FALSE(tail.in_flow);
  EXPECT_EQ(tail.from, trace.size() - 15);
}

// Whatever the bytes are, the decoder reads on to their end.
TEST(PtDecoderTest, DamageIsPassed) {
  PtProgram program = PtProgram::Random(5, 4, 12);
  PtWriter writer;
  writer.Psb(kBase, 1000);
  program.Run(kBase, 2000, 300, 5, &writer);
  const ByteVector whole = writer.Bytes();
  const size_t steps = StepsOf(whole, program).size();
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    ByteVector damaged = whole;
    for (int n = 0; n < 3; ++n) {
      damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    }
    damaged.resize(damaged.size() - random() % 20);
    EXPECT_LT(StepsOf(damaged, program).size(), 40 * steps) << i;
  }
  for (size_t size = 0; size < 200; ++size) {
    StepsOf(PartOf(whole, 0, size), program);
  }
}

#endif  // PERF2X_INTEL_PT

}  // namespace
}  // namespace perf2x
