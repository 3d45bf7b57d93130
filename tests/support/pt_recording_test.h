// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PT_RECORDING_TEST_H_
#define PERF2X_TESTS_SUPPORT_PT_RECORDING_TEST_H_

#ifdef PERF2X_INTEL_PT
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/input/input.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/pt_program.h"
#include "tests/support/pt_recording.h"
#include "tests/support/read_recording.h"
#include "tests/support/temp_folder.h"
#include "tests/unwind/test_elf.h"

// Samples of recordings with a trace of Intel PT.

namespace perf2x {

using Lines = std::vector<std::string>;

inline constexpr uint64_t kBase = PtProgram::kBase;

struct Found {
  Lines samples;
  ConvertReport report;
  uint64_t CountOf(const std::string& part) const {
    uint64_t count = 0;
    for (const auto& [message, entry] : report.diagnostics.entries()) {
      if (absl::StrContains(message, part)) count += entry.count;
    }
    return count;
  }
};

class IntelPtRecordingTest : public testing::Test {
 protected:
  // Puts a program where its recorded file is looked for.
  void Install(const std::string& file, const PtProgram& program) {
    const ByteVector& code = program.code();
    std::filesystem::create_directories(folder_.File("bin"));
    std::ofstream(folder_.path() + file)
        << TestElf(*MachineOf("x86_64", 2),
                   {{".text", 0x1000, std::string(code.begin(), code.end())}});
  }

  // Installs a program as /bin/a, and returns the trace of a run from its start
  // on.
  ByteVector TraceOf(PtProgram* program, int instructions, int psb_every) {
    Install("/bin/a", *program);
    PtWriter trace;
    trace.Psb(kBase, 1'000);
    trace.Disable(program->Run(kBase, instructions, psb_every, 3, &trace));
    return trace.Bytes();
  }
  // As TraceOf; returns the recording of process 100, which ran the program.
  Recording RecordingOf(PtProgram* program, int instructions, int psb_every) {
    Recording recording = NewProcessRecording();
    AddTrace({.bytes = TraceOf(program, instructions, psb_every),
              .cpu = -1,
              .tid = 100},
             &recording);
    return recording;
  }

  // A line for each sample: event, thread, place and what was asked for.
  Found SamplesOf(const ByteVector& bytes, const std::string& itrace) {
    Found found;
    ConvertOptions options;
    options.symbolize = false;
    options.symbols.binaries.symfs = folder_.path();
    options.itrace = *ParseItraceOptions(itrace);
    RecordingReader reader;
    reader.needs.fields = true;
    reader.needs.branches = true;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      const Thread& thread = tables.threads[sample.thread];
      std::string line =
          absl::StrCat(tables.events[sample.event].name, " ", thread.pid, "/",
                       thread.tid, " ", absl::Hex(sample.ip));
      for (const Field& field : sample.fields) {
        if (field.name == "addr") {
          absl::StrAppend(&line, " ",
                          absl::Hex(std::get<Field::Hex>(field.value).value));
        }
      }
      if (sample.period != 1) absl::StrAppend(&line, " x", sample.period);
      if (wants_branches) {
        for (const Branch& branch : sample.branches) {
          absl::StrAppend(&line, " ", absl::Hex(branch.source), ">",
                          absl::Hex(branch.target));
        }
      }
      if (wants_times) absl::StrAppend(&line, " @", sample.time.value_or(0));
      found.samples.push_back(line);
    };
    EXPECT_TRUE(
        ReadRecording(MemoryInput(bytes), options, reader, &found.report).ok());
    return found;
  }
  bool wants_branches = false, wants_times = false;

  const TempFolder folder_;
};

// The samples of i1i.
inline Lines LinesOf(const PtProgram& program, int32_t pid) {
  Lines lines;
  for (const uint64_t ip : program.executed()) {
    lines.push_back(
        absl::StrCat("instructions ", pid, "/", pid, " ", absl::Hex(ip)));
  }
  return lines;
}

}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
#endif  // PERF2X_TESTS_SUPPORT_PT_RECORDING_TEST_H_
