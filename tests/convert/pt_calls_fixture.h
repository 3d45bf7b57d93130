// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_CONVERT_PT_CALLS_FIXTURE_H_
#define PERF2X_TESTS_CONVERT_PT_CALLS_FIXTURE_H_

#ifdef PERF2X_INTEL_PT
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "tests/support/pt_recording_test.h"
#include "tests/support/read_recording.h"

namespace perf2x {

// The changes of calls that a program made, "tid depth" with a "+" if a call
// began; what returns were left at each instruction.
struct Shadow {
  Shadow(const PtProgram& program, int32_t tid) {
    Add(tid, 0, true);
    size_t jump = 0;
    for (const uint64_t ip : program.executed()) {
      callers.push_back(returns);
      if (jump == program.taken().size() || program.taken()[jump].from != ip) {
        continue;
      }
      const uint64_t to = program.taken()[jump++].to;
      switch (program.code()[ip - kBase]) {
        case 0xe8:
          returns.push_back(ip + 5);
          Add(tid, returns.size(), true);
          break;
        case 0xc3:
          if (!returns.empty() && returns.back() == to) {
            Add(tid, returns.size(), false);
            returns.pop_back();
          } else {
            Add(tid, 0, true);
          }
          break;
        default:
          break;
      }
    }
  }
  void Add(int32_t tid, size_t depth, bool begins) {
    changes.push_back(absl::StrCat(tid, " ", depth, begins ? "+" : ""));
  }
  Lines changes;
  std::vector<uint64_t> returns;
  std::vector<std::vector<uint64_t>> callers;  // by executed instruction
};

class PtCallsTest : public IntelPtRecordingTest {
 protected:
  ConvertOptions OptionsOf(const std::string& itrace) {
    ConvertOptions options;
    options.symbolize = false;
    options.symbols.binaries.symfs = folder_.path();
    options.itrace = *ParseItraceOptions(itrace);
    options.filter = filter_;
    return options;
  }
  // A line for each change, as in Shadow. Times must ascend.
  Lines ChangesOf(const Recording& recording, const std::string& itrace) {
    Lines lines;
    RecordingReader reader;
    reader.needs.calls = true;
    times_.clear();
    std::map<int32_t, uint64_t> last;
    reader.on_call = [&](const Call& call, TraceTables& tables) {
      const int32_t tid = tables.threads[call.thread].tid;
      lines.push_back(absl::StrCat(tid, " ", call.depth,
                                   call.function == kNoId ? "" : "+"));
      EXPECT_GT(call.time.value_or(0), last[tid]);
      last[tid] = call.time.value_or(0);
      times_.push_back(last[tid]);
    };
    reader.on_sample = [&](const Sample&, TraceTables&) { ++samples_; };
    EXPECT_TRUE(ReadRecording(MemoryInput(AsFile(recording)), OptionsOf(itrace),
                              reader, &report_)
                    .ok());
    return lines;
  }

  // How many of the changes begin a call.
  static uint64_t Begun(const Lines& changes) {
    return static_cast<uint64_t>(std::count_if(
        changes.begin(), changes.end(),
        [](const auto& line) { return absl::EndsWith(line, "+"); }));
  }

  FilterOptions filter_;
  ConvertReport report_;
  std::vector<uint64_t> times_;
  uint64_t samples_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_INTEL_PT

#endif  // PERF2X_TESTS_CONVERT_PT_CALLS_FIXTURE_H_
