// SPDX-License-Identifier: Apache-2.0

// `perf2x dump --packets`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "converter/inspect/inspect.h"
#include "converter/perf/records/aux_records.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

using testing::HasSubstr;
using testing::Not;

Recording TracedBy(uint64_t type, const ByteVector& trace) {
  Recording recording = HardwareTraceRecording("arm_spe_0//");
  AddTraceInfo(type, {8, 1}, &recording);
  AddTrace({.bytes = trace}, &recording);
  return recording;
}

std::string DumpOf(const Recording& recording, DumpOptions options) {
  std::string text;
  auto output = MakeStringOutput(&text);
  Diagnostics diagnostics;
  const absl::Status status =
      WriteDump(MemoryInput(AsFile(recording)), options, *output, &diagnostics);
  EXPECT_TRUE(status.ok()) << status;
  return text;
}

// The begin of a record, padding of 20 bytes, its end, and no packet.
ByteVector ShortTrace() {
  ByteVector trace = {0xb0, 0xf4, 0xd3, 0x29, 0x10, 0, 0x80, 0xff, 0xa0};
  trace.insert(trace.end(), {0x99, 0x0b, 0x00});
  trace.insert(trace.end(), 20, 0);
  trace.insert(trace.end(), {0x01, 0xff});
  return trace;
}

// As perf 7 prints them.
constexpr char kShortLines[] =
    ".  00000000:  b0 f4 d3 29 10 00 80 ff a0                      PC "
    "0xff80001029d3f4 el1 ns=1\n"
    ".  00000009:  99 0b 00                                        LAT 11 "
    "ISSUE\n"
    ".  0000000c:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 PAD\n"
    ".  0000001c:  00 00 00 00                                     PAD\n"
    ".  00000020:  01                                              END\n"
    ".  00000021:  ff                                              Bad "
    "packet!\n";

TEST(DumpPacketsTest, LinesAreThoseOfPerf) {
  const Recording spe = TracedBy(kAuxtraceArmSpe, ShortTrace());
  EXPECT_THAT(DumpOf(spe, {.packets = true}),
              HasSubstr(std::string("payload=34 size=34 offset=0x0 "
                                    "reference=0x0 idx=0 tid=-1 cpu=0\n") +
                        kShortLines));
  EXPECT_THAT(DumpOf(spe, {.sorted = true, .packets = true}),
              HasSubstr(kShortLines));
  EXPECT_THAT(DumpOf(spe, {}), Not(HasSubstr("\n.")));
}

TEST(DumpPacketsTest, OtherTracesHaveNone) {
  const Recording pt = TracedBy(kAuxtraceIntelPt, ShortTrace());
  EXPECT_EQ(DumpOf(pt, {.packets = true}), DumpOf(pt, {}));
}

// Padding is shown from where it begins, wherever a thread's part ends.
TEST(DumpPacketsTest, SameTextWithAnyNumberOfThreads) {
  ByteVector trace;
  for (size_t i = 0; i < 20'000; ++i) {
    trace.insert(trace.end(), {0x99, static_cast<uint8_t>(i), 0x00});
    trace.insert(trace.end(), i % 41, 0);
  }
  const Recording spe = TracedBy(kAuxtraceArmSpe, trace);
  const std::string one = DumpOf(spe, {.packets = true});
  EXPECT_THAT(one, HasSubstr(" LAT 255 ISSUE\n"));
  for (int threads : {2, 3}) {
    EXPECT_EQ(DumpOf(spe, {.packets = true, .threads = threads}), one);
  }
  size_t pads = 0, expected = 0;
  for (size_t at = one.find(" PAD\n"); at != std::string::npos;
       at = one.find(" PAD\n", at + 1)) {
    ++pads;
  }
  for (size_t i = 0; i < 20'000; ++i) expected += (i % 41 + 15) / 16;
  EXPECT_EQ(pads, expected);
}

// Keeps nothing: the text is large.
class NoOutput final : public Output {
 public:
  absl::Status Write(absl::string_view data) override {
    size += data.size();
    return absl::OkStatus();
  }
  absl::Status Close() override { return absl::OkStatus(); }
  uint64_t size = 0;
};

// A small file that unpacks to a trace whose text is more than its size allows.
TEST(DumpPacketsTest, PacketsBeyondTheBudgetAreCounted) {
  constexpr size_t kBytes = 4 << 20;  // each a packet and a line
  const ByteVector file =
      AsFile(TracedBy(kAuxtraceArmSpe, ByteVector(kBytes, 0x01)));
  Input input = MemoryInput(file);
  input.size = std::make_shared<std::atomic<uint64_t>>(1000);
  NoOutput output;
  Diagnostics diagnostics;
  ASSERT_TRUE(
      WriteDump(std::move(input), {.packets = true}, output, &diagnostics)
          .ok());
  const auto entry = diagnostics.entries().find(
      "part of a trace left out: the output that an input of this size may "
      "cause is used up (see SECURITY.md)");
  ASSERT_NE(entry, diagnostics.entries().end());
  EXPECT_EQ(entry->second.severity, Diagnostics::Severity::kSkipped);
  EXPECT_EQ(entry->second.count, 1u);
  EXPECT_GT(entry->second.first_offset, 0u);
  // A line has 66 bytes.
  const uint64_t lines = output.size / 66;
  EXPECT_NEAR(entry->second.bytes + lines, kBytes, 100);
}

}  // namespace
}  // namespace perf2x
