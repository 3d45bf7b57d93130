// SPDX-License-Identifier: Apache-2.0

// The packets of Arm SPE that perf finds in a stream (`perf report -D`).

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "converter/inspect/inspect.h"
#include "converter/perf/records/aux_records.h"
#include "tests/support/command_output.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;

// Appends a packet of one header byte, or of two if `first` is not 0.
void AppendPacket(uint8_t first, uint8_t header, uint64_t payload,
                  ByteVector* to) {
  if (first != 0) to->push_back(first);
  to->push_back(header);
  Append(payload, size_t{1} << (header >> 4 & 3), to);
}

// Every kind of packet, with every value of its fields that has a name, in all
// sizes of the payload.
ByteVector EveryPacket() {
  ByteVector stream = {0, 0, 1, 1};
  constexpr uint64_t kPayload = 0x8123'4567'89ab'cdef;
  for (const uint64_t payload : {kPayload, kPayload << 3, uint64_t{0}}) {
    AppendPacket(0, 0x71, payload, &stream);
    for (uint8_t index = 0; index < 8; ++index) {
      AppendPacket(0, static_cast<uint8_t>(0xb0 | index), payload, &stream);
      AppendPacket(0, static_cast<uint8_t>(0x98 | index), payload, &stream);
      for (uint8_t high = 0; high < 4; ++high) {
        const auto first = static_cast<uint8_t>(0x20 | high);
        AppendPacket(first, static_cast<uint8_t>(0xb0 | index), payload,
                     &stream);
        AppendPacket(first, static_cast<uint8_t>(0x98 | index), payload,
                     &stream);
      }
    }
    for (uint8_t index = 0; index < 4; ++index) {
      AppendPacket(0, static_cast<uint8_t>(0x64 | index), payload, &stream);
    }
  }
  for (int value = 0; value < 256; ++value) {
    for (uint8_t index = 0; index < 3; ++index) {
      AppendPacket(0, static_cast<uint8_t>(0x48 | index),
                   static_cast<uint64_t>(value), &stream);
    }
  }
  for (const uint8_t size : {0, 0x10, 0x20, 0x30}) {
    for (int bit = 0; bit < (8 << (size >> 4)); ++bit) {
      const uint64_t payload = uint64_t{1} << bit;
      AppendPacket(0, static_cast<uint8_t>(0x42 | size), payload, &stream);
      AppendPacket(0, static_cast<uint8_t>(0x43 | size), payload, &stream);
    }
  }
  // Alignment to 2, 4, 8 and 16 bytes, from every place.
  for (uint8_t size = 0; size < 4; ++size) {
    for (int at = 0; at < 16; ++at) {
      stream.push_back(1);
      stream.push_back(static_cast<uint8_t>(0x20 | size));
      stream.push_back(0);
      stream.insert(stream.end(), 16, 0);
    }
  }
  return stream;
}

ByteVector RandomBytes(size_t size) {
  std::mt19937 random(26);
  ByteVector bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// A line for each packet: its offset, size and words. They are printed as
// ".  00000010:  b0 00 ...       PC 0x0 el0 ns=0".
Lines PacketsIn(const std::string& text) {
  Lines lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    uint64_t at = 0;
    if (!absl::ConsumePrefix(&line, ".  ") || line.size() < 10 ||
        line[8] != ':' || !absl::SimpleHexAtoi(line.substr(0, 8), &at)) {
      continue;
    }
    line.remove_prefix(10);
    size_t bytes = 0;
    // Bytes are " b0"; what is no byte is padding, then the words.
    while (line.size() > 3 + 3 * bytes && line[3 * bytes] == ' ' &&
           absl::ascii_isxdigit(line[3 * bytes + 2]) != 0 &&
           absl::ascii_isxdigit(line[3 * bytes + 1]) != 0) {
      ++bytes;
    }
    lines.push_back(
        absl::StrCat(at, " +", bytes, " ",
                     absl::StripAsciiWhitespace(line.substr(3 * bytes))));
  }
  return lines;
}

// Returns what perf prints of a trace, and the dump of the same recording.
std::pair<std::string, std::string> DumpsOf(const ByteVector& trace) {
  Recording recording = HardwareTraceRecording("arm_spe_0//");
  AddTraceInfo(kAuxtraceArmSpe, {8, 1}, &recording);
  // perf aligns in memory: to 16 bytes, as in the file.
  const size_t head = AsFile(recording).size();
  if (head % 16 == 0) {
    recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  }
  AddTrace({.bytes = trace}, &recording);
  const TempFolder folder;
  WriteBytes(folder.File("perf.data"), AsFile(recording));
  std::string own;
  auto output = MakeStringOutput(&own);
  DumpOptions options;
  options.packets = true;
  Diagnostics diagnostics;
  const absl::Status status =
      WriteDump(MemoryInput(AsFile(recording)), options, *output, &diagnostics);
  EXPECT_TRUE(status.ok()) << status;
  return {OutputOf(absl::StrCat("perf report -D -i ", folder.File("perf.data"),
                                " 2>/dev/null")),
          own};
}

// What perf before 6.14 has of a packet: it does not know all words.
std::string WithoutNewWords(const std::string& packet) {
  static const auto& kNew = *new absl::flat_hash_set<absl::string_view>{
      "ASE",        "FP",         "GCS",     "COMM",       "CR-BL",
      "CR-RET",     "IND",        "MTE-TAG", "MEMCPY",     "CR-NON-BL-RET",
      "L2D-ACCESS", "L2D-MISS",   "HITM",    "LFB",        "SVE-SME-REG",
      "SNOOPED",    "MEMSET",     "SMCU",    "TXN",        "STREAMING-SVE",
      "EVLEN",      "INSN-OTHER", "PRED",    "COND-SELECT"};
  std::vector<absl::string_view> words = absl::StrSplit(packet, ' ');
  const absl::string_view kind = words[2];
  if (kind == "PBT" || kind == "ADDR") return absl::StrCat(words[0], words[1]);
  if (kind == "OTHER" || kind == "OP-TYPE" || kind == "SME-OTHER") {
    return absl::StrCat(words[0], words[1]);
  }
  std::erase_if(words, [](absl::string_view word) {
    return kNew.contains(word) || absl::StartsWith(word, "IMPDEF:");
  });
  return absl::StrJoin(words, " ");
}

TEST(SpeAgainstPerfTest, PacketsAreThoseThatPerfLists) {
  if (!Installed("perf")) GTEST_SKIP() << "no perf";
  ByteVector trace = EveryPacket();
  const ByteVector random = RandomBytes(1 << 16);
  trace.insert(trace.end(), random.begin(), random.end());
  const auto [of_perf, of_dump] = DumpsOf(trace);
  const Lines own = PacketsIn(of_dump), perf = PacketsIn(of_perf);
  ASSERT_EQ(own.size(), perf.size());
  const bool is_new = std::any_of(
      perf.begin(), perf.end(),
      [](const std::string& line) { return absl::StrContains(line, " PBT "); });
  size_t equal = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] == perf[i]) {
      ++equal;
    } else if (is_new) {
      // perf says again what the packet before is.
      EXPECT_TRUE(absl::StrContains(own[i], " OP-TYPE ")) << own[i] << perf[i];
    } else {
      EXPECT_EQ(WithoutNewWords(own[i]), WithoutNewWords(perf[i])) << own[i];
    }
  }
  EXPECT_GT(equal, own.size() * 9 / 10);
}

}  // namespace
}  // namespace perf2x
