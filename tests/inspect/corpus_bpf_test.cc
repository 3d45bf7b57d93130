// SPDX-License-Identifier: Apache-2.0

// BPF programs of the corpus' recordings (perf record --off-cpu loads some):
// their functions, names and source lines from BPF_PROG_INFO and BTF.

#include <gtest/gtest.h>

#include <cstdio>

#include "absl/strings/match.h"
#include "converter/inspect/recording_info.h"
#include "converter/perf/header/bpf_features.h"
#include "tests/support/corpus.h"

namespace perf2x {
namespace {

TEST(CorpusBpfTest, FunctionsHaveNamesAndLines) {
  size_t recordings = 0, functions = 0, lines = 0;
  for (const CorpusEntry& entry : OwnRecordings()) {
    if (!absl::StrContains(entry.id, "offcpu") ||
        absl::StrContains(entry.id, "unsupported")) {
      continue;
    }
    auto input = OpenInput(RecordingOf(entry));
    ASSERT_TRUE(input.ok()) << entry.id;
    Diagnostics diagnostics;
    const auto info = ReadRecordingInfo(*std::move(input), &diagnostics);
    ASSERT_TRUE(info.ok()) << entry.id;
    const HeaderFeatures& f = info->features;
    recordings += !f.bpf_programs.empty();
    for (const BpfProgram& program : f.bpf_programs) {
      for (size_t i = 0; i < program.functions.size(); ++i) {
        const BpfProgram::Function& function = program.functions[i];
        const std::string name = BpfFunctionName(program, i, f.bpf_types);
        EXPECT_TRUE(absl::StartsWith(name, "bpf_prog_" + function.tag + "_"))
            << entry.id << " " << name;
        const std::vector<BpfLine> found =
            BpfLinesAt(function.address, f.bpf_programs, f.bpf_types);
        EXPECT_FALSE(found.empty()) << entry.id << " " << name;
        uint64_t before = 0;
        for (const BpfLine& line : found) {
          EXPECT_GE(line.offset, before);
          EXPECT_LT(line.offset, function.size) << entry.id << " " << name;
          EXPECT_TRUE(absl::EndsWith(line.file, ".c") ||
                      absl::EndsWith(line.file, ".h"))
              << line.file;
          before = line.offset;
          lines += line.line > 0;  // clang says 0 where there is none
        }
        ++functions;
      }
    }
  }
  std::printf("%zu recordings: %zu functions of BPF programs, %zu lines\n",
              recordings, functions, lines);
  EXPECT_GE(recordings, 5u);
  EXPECT_GE(functions, 12u);
  EXPECT_GE(lines, 500u);
}

}  // namespace
}  // namespace perf2x
