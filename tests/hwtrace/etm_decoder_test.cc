// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/etm_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/etm_writer.h"

namespace perf2x {
namespace {

using Kind = EtmElement::Kind;

constexpr uint8_t kId = 0x12;
constexpr uint64_t kCodeBase = 0x5500001000;

// Code of each thread, by its start.
class Code final : public EtmCode {
 public:
  uint32_t Read(int32_t cpu, int32_t thread, uint64_t address,
                absl::Span<uint8_t> to) override {
    ++reads;
    last_cpu = cpu;
    const auto it = of_thread.find(thread);
    if (it == of_thread.end() || address < kCodeBase) return 0;
    const uint64_t at = address - kCodeBase, all = it->second.size() * 4;
    if (at >= all) return 0;
    const uint64_t size = std::min<uint64_t>(to.size(), all - at);
    std::memcpy(to.data(),
                reinterpret_cast<const char*>(it->second.data()) + at, size);
    return static_cast<uint32_t>(size);
  }
  std::map<int32_t, std::vector<uint32_t>> of_thread = {
      {100, CountdownProgram()}};
  int reads = 0;
  int32_t last_cpu = -1;
};

std::string ElementText(const std::vector<EtmElement>& elements) {
  std::string text;
  for (const EtmElement& e : elements) {
    absl::StrAppend(&text, text.empty() ? "" : " ");
    switch (e.kind) {
      case Kind::kRange:
        absl::StrAppend(&text, absl::Hex(e.start - kCodeBase), "-",
                        absl::Hex(e.last_address() - kCodeBase),
                        e.taken ? "E" : "N", e.instructions);
        break;
      case Kind::kContext:
        absl::StrAppend(&text, "tid=", e.thread);
        break;
      case Kind::kTime:
        absl::StrAppend(&text, "t=", e.time);
        break;
      case Kind::kException:
        absl::StrAppend(&text, "exception");
        break;
      case Kind::kNoCode:
        absl::StrAppend(&text, "no code at ", absl::Hex(e.start));
        break;
      case Kind::kOverflow:
        absl::StrAppend(&text, "overflow");
        break;
      case Kind::kGap:
        absl::StrAppend(&text, "gap");
        break;
    }
  }
  return text;
}

class EtmDecoderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!EtmDecoder::InThisBuild()) GTEST_SKIP() << "without libopencsd-dev";
  }
  std::string Decode(const std::vector<uint8_t>& trace, bool formatted,
                     size_t at_once = ~size_t{0}) {
    auto decoder =
        EtmDecoder::Make({EtmWriter::Source(3, kId)}, formatted, &code_);
    EXPECT_NE(decoder, nullptr);
    decoder->Reset();
    std::vector<EtmElement> elements;
    absl::Span<const uint8_t> rest = trace;
    while (!rest.empty()) {
      decoder->Decode(rest.subspan(0, at_once), &elements);
      rest.remove_prefix(std::min(at_once, rest.size()));
    }
    bad_bytes_ = decoder->TakeBadBytes();
    lost_bytes_ = decoder->TakeLostBytes();
    unsynchronized_bytes_ = decoder->TakeUnsynchronizedBytes();
    unknown_bytes_ = decoder->TakeUnknownBytes();
    work_ = decoder->TakeWork();
    EXPECT_EQ(decoder->TakeWork(), 0u);
    for (const EtmElement& element : elements) EXPECT_EQ(element.cpu, 3);
    return ElementText(elements);
  }
  Code code_;
  uint64_t bad_bytes_ = 0, lost_bytes_ = 0, work_ = 0;
  uint64_t unsynchronized_bytes_ = 0, unknown_bytes_ = 0;
};

EtmWriter Begun() {
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kCodeBase, 100);
  return writer;
}

constexpr char kWhole[] =
    "gap gap tid=100 0-8E3 4-8E2 4-8N2 c-cE1 18-1cE2 10-14E2";

EtmWriter WholeProgram() {
  EtmWriter writer = Begun();
  // The targets of returns come after them.
  writer.Atoms("EENEE").Address(kCodeBase + 0x10).Atoms("E");
  return writer;
}

TEST_F(EtmDecoderTest, FollowsTheCode) {
  EXPECT_EQ(Decode(WholeProgram().bytes(), false), kWhole);
  EXPECT_EQ(Decode(WholeProgram().bytes(), false, 1), kWhole);
  EXPECT_EQ(Decode(WholeProgram().Frames(kId), true), kWhole);
  EXPECT_EQ(Decode(WholeProgram().Frames(kId), true, 16), kWhole);
  EXPECT_EQ(bad_bytes_, 0u);
  EXPECT_EQ(code_.last_cpu, 3);
  EXPECT_EQ(unsynchronized_bytes_, 0u);
  EXPECT_EQ(unknown_bytes_, 0u);
  // Of a source that is not known, nothing is.
  EXPECT_EQ(Decode(WholeProgram().Frames(kId + 1), true), "");
  EXPECT_GE(unknown_bytes_, WholeProgram().bytes().size());
  EXPECT_EQ(bad_bytes_ + unsynchronized_bytes_, 0u);
}

TEST_F(EtmDecoderTest, ManyBranchesInAByte) {
  EtmWriter writer = Begun();
  writer.ManyAtoms(23, 'E');
  const std::string text = Decode(writer.bytes(), false);
  size_t count = 0;
  for (size_t at = 0; (at = text.find("4-8E2", at)) != text.npos; ++at) ++count;
  EXPECT_EQ(count, 23u) << text;
}

TEST_F(EtmDecoderTest, TimesExceptionsAndThreads) {
  code_.of_thread[200] = {0xd503201f, 0x17ffffff};  // nop; b 00
  EtmWriter writer = Begun();
  writer.Atoms("E").Timestamp(0x123456789).Interrupt(kCodeBase + 4);
  writer.Context(uint64_t{0xffff} << 48, 100).Atoms("E");
  writer.TraceOn().Context(kCodeBase, 200).Atoms("EE");
  EXPECT_EQ(Decode(writer.bytes(), false),
            "gap gap tid=100 0-8E3 t=4886718345 exception tid=100 "
            "no code at ffff000000000000 gap tid=200 0-4E2 0-4E2");
}

TEST_F(EtmDecoderTest, DamageIsSkippedUpToTheNextSync) {
  EtmWriter writer = WholeProgram();
  for (int i = 0; i < 16; ++i) writer.Byte(0x84);  // no packet
  std::vector<uint8_t> trace = writer.bytes();
  const std::vector<uint8_t> again = WholeProgram().bytes();
  trace.insert(trace.end(), again.begin(), again.end());
  const std::string text = Decode(trace, false, 16);
  EXPECT_GT(bad_bytes_, 0u);
  EXPECT_LE(bad_bytes_, 64u);
  EXPECT_TRUE(text.size() > sizeof(kWhole) &&
              text.compare(text.size() - 40, 40,
                           std::string(kWhole).substr(sizeof(kWhole) - 41)) ==
                  0)
      << text;
}

TEST_F(EtmDecoderTest, AnOverflowIsAGap) {
  EtmWriter writer = Begun();
  writer.Atoms("E")
      .Overflow()
      .Sync()
      .TraceOn()
      .Context(kCodeBase, 100)
      .Atoms("E");
  EXPECT_EQ(Decode(writer.bytes(), false),
            "gap gap tid=100 0-8E3 gap overflow tid=100 0-8E3");
}

// OpenCSD keeps packets until one says that code ran.
TEST_F(EtmDecoderTest, TooManyPacketsWithoutCodeAreDamage) {
  for (const bool many : {false, true}) {
    EtmWriter writer = Begun();
    for (uint32_t i = 0; i < EtmDecoder::kMaxIdlePackets; ++i) {
      many ? writer.Timestamp(i) : writer.Byte(0x70);  // to be ignored
      if (i % 1024 == 0) writer.Atoms("E");
    }
    Decode(writer.bytes(), false, 16);
    EXPECT_EQ(bad_bytes_, 0u);
    for (uint32_t i = 0; i < EtmDecoder::kMaxIdlePackets; ++i) {
      many ? writer.Timestamp(i) : writer.Byte(0x70);
    }
    Decode(writer.bytes(), false, 16);
    EXPECT_EQ(bad_bytes_ > 0, many);
  }
}

TEST_F(EtmDecoderTest, PacketsAndResetsAreWork) {
  constexpr uint64_t kPackets = 10'000;
  EtmWriter writer = Begun();
  for (uint64_t i = 0; i < kPackets; ++i) writer.Byte(0x70);
  Decode(writer.bytes(), false);
  EXPECT_GE(work_, kPackets);
  EXPECT_LE(work_, 4 * kPackets);
  // A frame whose packets are wrong has both trees reset.
  EtmWriter wrong;
  for (int i = 0; i < 100; ++i) wrong.Sync().Byte(0x2d);
  Decode(wrong.Frames(kId), true, 16);
  EXPECT_GT(bad_bytes_, 0u);
  EXPECT_GE(work_, bad_bytes_);
}

// OpenCSD may throw an exception for each piece of a PTM's trace.
TEST_F(EtmDecoderTest, PiecesOfAPtmAreWork) {
  EtmSource ptm;
  ptm.cpu = 3;
  ptm.protocol = EtmProtocol::kPtm;
  ptm.trace_id = kId;
  ptm.config = 1 << 14;
  ptm.etm_idr = 0x4115f300;
  const auto decoder = EtmDecoder::Make({ptm}, false, &code_);
  ASSERT_NE(decoder, nullptr);
  decoder->TakeWork();
  std::vector<EtmElement> elements;
  decoder->Decode(std::vector<uint8_t>(16 * 100), &elements);
  EXPECT_GE(decoder->TakeWork(), 6400u);
}

// Packets that take back instructions, in a trace that has none.
TEST_F(EtmDecoderTest, SpeculationIsDamage) {
  for (const uint8_t packet : {0x2d, 0x2e, 0x2f, 0x30, 0x35, 0x3a}) {
    EtmWriter writer = Begun();
    writer.Address(kCodeBase + 4).Byte(packet).Byte(0x01).Atoms("E");
    Decode(writer.bytes(), false);
    EXPECT_GT(bad_bytes_, 0u) << int{packet};
  }
  EtmSource speculative = EtmWriter::Source(0, kId);
  speculative.idr8 = 4;
  EXPECT_FALSE(EtmDecoder::Decodes(speculative));
  EXPECT_EQ(EtmDecoder::Make({speculative}, true, &code_), nullptr);
}

TEST_F(EtmDecoderTest, SourcesNeedDistinctIds) {
  EtmSource none = EtmWriter::Source(0, 0);
  EXPECT_EQ(EtmDecoder::Make({none}, true, &code_), nullptr);
  EXPECT_NE(EtmDecoder::Make(
                {none, EtmWriter::Source(1, kId), EtmWriter::Source(2, kId)},
                true, &code_),
            nullptr);
}

// 100,000 instructions without a branch.
TEST_F(EtmDecoderTest, LongRangesAreCut) {
  code_.of_thread[100].assign(100'000, 0xd503201f);
  code_.of_thread[100].push_back(0x17ffffff);
  EtmWriter writer = Begun();
  writer.Atoms("E");
  const std::string text = Decode(writer.bytes(), false);
  EXPECT_NE(text.find("no code at"), text.npos) << text;
  EXPECT_LE(code_.reads, 300);
}

// The loop has 8 KiB; a packet of 24 branches stands for 192 KiB.
TEST_F(EtmDecoderTest, TheLimitIsThatOfARangeNotOfAPacket) {
  code_.of_thread[100].assign(2047, 0xd503201f);
  code_.of_thread[100].push_back(0x17fff801);  // b 00
  EtmWriter writer = Begun();
  writer.ManyAtoms(23, 'E');
  const std::string text = Decode(writer.bytes(), false);
  size_t count = 0;
  for (size_t at = 0; (at = text.find("E2048", at)) != text.npos; ++at) ++count;
  EXPECT_EQ(count, 24u) << text;
  EXPECT_EQ(text.find("no code"), text.npos) << text;
}

TEST_F(EtmDecoderTest, BranchesWithoutAnAddressAreCounted) {
  EtmWriter writer = WholeProgram();  // ends with a return
  writer.Atoms(std::string(300, 'E'));
  EXPECT_EQ(Decode(writer.bytes(), false), kWhole);
  EXPECT_GE(lost_bytes_, 80u);
  EXPECT_LE(lost_bytes_, 300u);
  EXPECT_EQ(bad_bytes_, 0u);
  Decode(WholeProgram().bytes(), false);
  EXPECT_EQ(lost_bytes_, 0u);
  // Where code is missing, an element says so.
  EtmWriter missing = Begun();
  missing.Address(kCodeBase + 0x4000).Atoms(std::string(300, 'E'));
  Decode(missing.bytes(), false);
  EXPECT_EQ(lost_bytes_, 0u);
}

TEST_F(EtmDecoderTest, AllBytesUpToTheNextSyncAreBad) {
  constexpr size_t kSkipped = 10'000;
  EtmWriter writer = WholeProgram();
  for (int i = 0; i < 16; ++i) writer.Byte(0x84);  // no packet
  writer.Atoms(std::string(3, 'E'));
  std::vector<uint8_t> trace = writer.bytes();
  trace.insert(trace.end(), kSkipped, 0xf7);
  const std::vector<uint8_t> again = WholeProgram().bytes();
  trace.insert(trace.end(), again.begin(), again.end());
  Decode(trace, false, 16);
  EXPECT_GE(bad_bytes_, kSkipped);
  EXPECT_LE(bad_bytes_, kSkipped + 64);
  // Reading may begin within a trace.
  trace.assign(kSkipped, 0xf7);
  trace.insert(trace.end(), again.begin(), again.end());
  Decode(trace, false, 16);
  EXPECT_EQ(bad_bytes_, 0u);
}

TEST_F(EtmDecoderTest, BytesWithoutASyncAreCounted) {
  const std::vector<uint8_t> atoms(1000, 0xf7);
  EXPECT_EQ(Decode(atoms, false, 16), "gap");
  EXPECT_EQ(unsynchronized_bytes_, 1000u);
  EXPECT_EQ(bad_bytes_, 0u);
  EtmWriter writer;
  for (const uint8_t byte : atoms) writer.Byte(byte);
  Decode(writer.Frames(kId), true, 16);
  EXPECT_GE(unsynchronized_bytes_, 1000u);
  EXPECT_LT(unsynchronized_bytes_, 1020u);
  // No id at all.
  Decode(std::vector<uint8_t>(160, 0x44), true, 16);
  EXPECT_EQ(unsynchronized_bytes_, 150u);
  // What a trace unit fills a buffer with.
  Decode(std::vector<uint8_t>(160, 0x70), false, 16);
  EXPECT_EQ(unsynchronized_bytes_, 0u);
  // A trace that is synchronized later.
  const std::vector<uint8_t> whole = WholeProgram().bytes();
  for (const uint8_t byte : whole) writer.Byte(byte);
  Decode(writer.bytes(), false, 16);
  EXPECT_EQ(unsynchronized_bytes_, 0u);
}

// In frames that go from source to source, OpenCSD does so, too.
TEST_F(EtmDecoderTest, IdsAreWork) {
  std::vector<EtmSource> sources;
  for (uint8_t id = 1; id <= 7; ++id) {
    sources.push_back(EtmWriter::Source(id, id));
  }
  const auto decoder = EtmDecoder::Make(sources, true, &code_);
  std::vector<uint8_t> frame(16);
  for (size_t i = 0; i < 8; ++i) {
    frame[2 * i] = static_cast<uint8_t>((i % 7 + 1) << 1 | (i < 7 ? 1 : 0));
  }
  decoder->TakeWork();
  std::vector<EtmElement> elements;
  for (int i = 0; i < 100; ++i) decoder->Decode(frame, &elements);
  EXPECT_GE(decoder->TakeWork(), 1000u);
}

// The packets of ETE are those of ETMv4, and a few more.
TEST_F(EtmDecoderTest, PacketsOfEte) {
  EtmSource source = EtmWriter::Source(3, kId);
  source.protocol = EtmProtocol::kEte;
  for (const uint32_t devarch : {0x47705a13u, 0x47715a13u}) {
    source.devarch = devarch;
    for (const uint8_t packet : {0x88, 0x0a, 0x0b}) {
      const auto decoder = EtmDecoder::Make({source}, false, &code_);
      ASSERT_NE(decoder, nullptr);
      decoder->Reset();
      EtmWriter writer = Begun();
      writer.Byte(packet).Atoms("E");
      std::vector<EtmElement> elements;
      decoder->Decode(writer.bytes(), &elements);
      EXPECT_EQ(decoder->TakeBadBytes(), 0u) << int{packet};
      EXPECT_NE(ElementText(elements).find("0-8E3"), std::string::npos);
    }
  }
}

// No trace of up to 300 bytes costs more than its bytes allow.
TEST_F(EtmDecoderTest, SurvivesAnyByteChanged) {
  const std::vector<uint8_t> whole = WholeProgram().bytes();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0x00, 0x04, 0x06, 0x2f, 0x30, 0x80, 0xa0, 0xff}) {
      std::vector<uint8_t> trace = whole;
      trace[at] = static_cast<uint8_t>(value);
      trace.insert(trace.end(), whole.begin(), whole.end());
      const std::string text = Decode(trace, false, 16);
      EXPECT_LE(bad_bytes_, trace.size());
      EXPECT_LT(text.size(), 4000u);
    }
  }
}

}  // namespace
}  // namespace perf2x
