// SPDX-License-Identifier: Apache-2.0

// The control flow that perf's own decoder finds in traces of Intel PT, beside
// what is found here.

#ifdef PERF2X_INTEL_PT
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/support/command_output.h"
#include "tests/support/pt_recording_test.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

class PtAgainstPerfTest : public IntelPtRecordingTest {
 protected:
  // The address of each instruction that perf finds, in hexadecimal digits.
  Lines InstructionsOfPerf(const ByteVector& recording) {
    WriteBytes(folder_.File("perf.data"), recording);
    const std::string text = OutputOf(
        absl::StrCat("perf script -i ", folder_.File("perf.data"), " --symfs ",
                     folder_.path(), " --itrace=i1i -F ip 2>/dev/null"));
    Lines lines;
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      const absl::string_view stripped = absl::StripAsciiWhitespace(line);
      if (!stripped.empty()) lines.emplace_back(stripped);
    }
    return lines;
  }
};

TEST_F(PtAgainstPerfTest, EachInstruction) {
  if (!Installed("perf")) GTEST_SKIP() << "no perf";
  for (const uint32_t seed : {1u, 2u, 3u, 4u}) {
    PtProgram program = PtProgram::Random(seed, 4, 12);
    Recording recording = RecordingOf(&program, 5000, 300);
    // The trace is of a thread: perf needs no switches, and no trace by CPU.
    ByteVector& info = recording.records[1].body;
    constexpr size_t kWords = 8, kHaveSwitches = 7, kPerCpu = 9;
    info[kWords + 8 * kHaveSwitches] = info[kWords + 8 * kPerCpu] = 0;
    const ByteVector bytes = AsFile(recording);
    Lines own, executed;
    for (const std::string& sample : SamplesOf(bytes, "i1i").samples) {
      own.push_back(sample.substr(sample.rfind(' ') + 1));
    }
    for (const uint64_t ip : program.executed()) {
      executed.push_back(absl::StrCat(absl::Hex(ip)));
    }
    EXPECT_EQ(own, executed) << seed;
    EXPECT_EQ(InstructionsOfPerf(bytes), own) << seed;
  }
}

}  // namespace
}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
