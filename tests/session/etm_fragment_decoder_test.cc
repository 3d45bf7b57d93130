// SPDX-License-Identifier: Apache-2.0
#include "converter/session/etm_fragment_decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

constexpr char kBytes[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP";

// Notes what it is called with: bytes as text, and "!" for Reset. Each byte
// that is a capital letter gives an element kNoCode, all others a kRange.
class NotingDecoder final : public EtmDecoder {
 public:
  void Reset() override {
    notes += "!";
    ++work;
  }
  void Decode(absl::Span<const uint8_t> trace,
              std::vector<EtmElement>* elements) override {
    absl::StrAppend(&notes, "[", std::string(trace.begin(), trace.end()), "]");
    for (const uint8_t byte : trace) {
      EtmElement& element = elements->emplace_back();
      const bool known = byte < 'A' || byte > 'Z';
      element.kind =
          known ? EtmElement::Kind::kRange : EtmElement::Kind::kNoCode;
      element.instructions = known ? 20 : 0;
    }
  }
  uint64_t TakeBadBytes() override { return 3; }
  uint64_t TakeUnsynchronizedBytes() override { return 0; }
  uint64_t TakeUnknownBytes() override { return 0; }
  uint64_t TakeLostBytes() override { return 0; }
  uint64_t TakeWork() override { return std::exchange(work, 0); }

  std::string notes;
  uint64_t work = 0;
};

class EtmFragmentDecoderTest : public ::testing::Test {
 protected:
  EtmFragmentDecoderTest() {
    range_.place = &place_;
    range_.offset = 7;
  }
  // Adds the bytes [start, end) of the stream: those of kBytes.
  void Data(uint64_t start, uint64_t end) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(kBytes);
    place_.data.Add(start, {{bytes + start, end - start}, BlockRef(), 1000});
  }
  // Decodes the fragment [start, end). Returns what the decoder noted, and "-"
  // for each byte that was skipped.
  std::string Decode(uint64_t start, uint64_t end) {
    range_.start = start;
    range_.end = end;
    decoder_.notes.clear();
    fragment_.Begin(range_, decoder_);
    while (fragment_.left() > 0) {
      decoder_.notes += std::string(fragment_.Decode(), '-');
      while (fragment_.NextElement() != nullptr) ++elements_;
    }
    fragment_.CountFaults(diagnostics_);
    std::string notes = decoder_.notes;
    fragment_.End();
    return notes;
  }

  AuxPlace place_;
  AuxRange range_;
  NotingDecoder decoder_;
  EtmFragmentDecoder fragment_;
  Diagnostics diagnostics_;
  size_t elements_ = 0;
};

TEST_F(EtmFragmentDecoderTest, FramesAreJoinedFromPieces) {
  Data(0, 20);
  Data(20, 23);
  Data(23, 48);
  EXPECT_EQ(Decode(0, 48),
            "![0123456789abcdef][ghijklmnopqrstuv][wxyzABCDEFGHIJKL]");
  EXPECT_EQ(elements_, 48u);
  EXPECT_FALSE(fragment_.active());
  EXPECT_EQ(fragment_.left(), 0u);
  // Frames begin where the range does; the last one may have no end.
  EXPECT_EQ(Decode(1, 20), "![123456789abcdefg][hij]");
}

TEST_F(EtmFragmentDecoderTest, RawTraceIsNotJoined) {
  range_.raw = true;
  Data(0, 20);
  Data(20, 40);
  EXPECT_EQ(Decode(0, 40), "![0123456789abcdef][ghij][klmnopqrstuvwxyz][ABCD]");
}

TEST_F(EtmFragmentDecoderTest, AfterAGapComesAWholeFrame) {
  Data(0, 16);
  Data(20, 48);
  EXPECT_EQ(Decode(0, 48),
            "![0123456789abcdef]!----------------[wxyzABCDEFGHIJKL]");
  // Up to the end of the range, if no frame begins before it.
  EXPECT_EQ(Decode(0, 30), "![0123456789abcdef]!--------------");
  range_.raw = true;
  EXPECT_EQ(Decode(0, 30), "![0123456789abcdef]!----[klmnopqrst]");
}

TEST_F(EtmFragmentDecoderTest, WorkIsOfInstructionsPiecesAndResets) {
  Data(0, 16);
  EXPECT_EQ(Decode(0, 16), "![0123456789abcdef]");
  // Two resets, and 16 elements of 20 instructions.
  EXPECT_EQ(fragment_.TakeWork(), 2u + 16 * (1 + 10));
  EXPECT_EQ(fragment_.TakeWork(), 0u);
  Data(16, 20);
  EXPECT_EQ(Decode(16, 20), "![ghij]");
  // It is looked for more of the frame.
  EXPECT_EQ(fragment_.TakeWork(), 2u + 4 * (1 + 10) + 4);
  range_.raw = true;
  EXPECT_EQ(Decode(20, 24), "!!----");
  EXPECT_EQ(fragment_.TakeWork(), 3u + EtmFragmentDecoder::kWorkPerReset);
}

// Of each fragment, where its AUX record lies.
TEST_F(EtmFragmentDecoderTest, FaultsAreCounted) {
  Data(0, 48);
  Decode(0, 48);
  Decode(38, 40);  // "CD"
  ASSERT_EQ(diagnostics_.entries().size(), 2u);
  const auto& bad =
      diagnostics_.entries().at("bytes of CoreSight trace that are no packet");
  EXPECT_EQ(bad.count, 6u);
  EXPECT_EQ(bad.first_offset, 7u);
  const auto& unknown = diagnostics_.entries().at(
      "place in a CoreSight trace whose code was not found (see --symfs and "
      "--vmlinux), so that what ran from there on is not known");
  EXPECT_EQ(unknown.count, 12u + 2);
}

TEST_F(EtmFragmentDecoderTest, ElementsEndWithTheFragment) {
  Data(0, 16);
  range_.end = 16;
  fragment_.Begin(range_, decoder_);
  EXPECT_TRUE(fragment_.active());
  EXPECT_EQ(fragment_.left(), 16u);
  EXPECT_EQ(fragment_.NextElement(), nullptr);
  EXPECT_EQ(fragment_.Decode(), 0u);
  EXPECT_NE(fragment_.NextElement(), nullptr);
  fragment_.End();
  EXPECT_EQ(fragment_.NextElement(), nullptr);
}

}  // namespace
}  // namespace perf2x
