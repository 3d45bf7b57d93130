// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_CONVERT_ETM_TRACE_FIXTURE_H_
#define PERF2X_TESTS_CONVERT_ETM_TRACE_FIXTURE_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/hwtrace/etm_decoder.h"
#include "converter/input/input.h"
#include "converter/model/branch_bound.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/etm_writer.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/read_recording.h"
#include "tests/support/temp_folder.h"
#include "tests/support/write_bytes.h"

namespace perf2x {

using Lines = std::vector<std::string>;

inline constexpr uint8_t kId = 0x10;
inline constexpr int32_t kThread = 101;
inline constexpr uint64_t kFileStart = 0x5500000000;  // of the mapped file

inline EtmWriter ProgramTrace() {
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kFileStart + 0x1000, kThread).Timestamp(1000);
  writer.Atoms("EENEE").Address(kFileStart + 0x1010).Atoms("E");
  return writer;
}

// Recordings of a program and its CoreSight trace.
class EtmTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!EtmDecoder::InThisBuild()) GTEST_SKIP() << "without libopencsd-dev";
    std::filesystem::create_directory(folder_.File("bin"));
    const auto program = Arm64Program(CountdownProgram(), "count");
    WriteBytes(folder_.File("bin/traced"), program);
    options_.symbols.binaries.symfs = folder_.path();
  }

  static SampleId At(uint64_t time, uint32_t cpu = 0) {
    SampleId id;
    id.pid = 100;
    id.tid = kThread;
    id.time = time;
    id.id = 5;
    id.cpu = cpu;
    return id;
  }

  // Maps a file where the process has its program.
  static void AddMapping(uint64_t time, absl::string_view file,
                         Recording* recording) {
    MmapRecord mmap;
    mmap.pid = 100;
    mmap.tid = kThread;
    mmap.addr = kFileStart;
    mmap.len = 0x2000;
    mmap.filename = file;
    recording->Add(mmap, At(time), kMiscUser);
  }
  // A process that runs the program, without its trace.
  static Recording Program(const std::vector<EtmSource>& sources = {
                               EtmWriter::Source(0, kId)}) {
    Recording recording = HardwareTraceRecording("cs_etm//");
    AddTraceInfo(kAuxtraceCsEtm, EtmInfoWords(sources), &recording);
    CommRecord comm;
    comm.pid = 100;
    comm.tid = kThread;
    comm.comm = "worker";
    recording.Add(comm, At(1));
    AddMapping(2, "/bin/traced", &recording);
    return recording;
  }

  // The whole of a trace that CPU 0 wrote.
  static Recording Traced(const ByteVector& trace, uint64_t flags = 0) {
    Recording recording = Program();
    AddAux({.size = trace.size(), .flags = flags}, At(100), &recording);
    AddTrace({.bytes = trace}, &recording);
    return recording;
  }

  // A line for each sample: event, thread, CPU, time, period, function and
  // address.
  Lines SamplesOf(const ByteVector& bytes) {
    return SamplesOf(MemoryInput(bytes));
  }
  Lines SamplesOf(Input input) {
    Lines lines;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      const Thread& thread = tables.threads[sample.thread];
      lines.push_back(absl::StrCat(
          tables.events[sample.event].name, " ", thread.pid, "/", thread.tid,
          " cpu", sample.cpu, " @", sample.time.value_or(0), " ", sample.period,
          " ", absl::Hex(sample.ip - kFileStart)));
    };
    EXPECT_TRUE(
        ReadRecording(std::move(input), options_, reader, &report_).ok());
    return lines;
  }
  // A text for each sample's branch stack, the latest branch first.
  Lines StacksOf(const Recording& recording) {
    Lines lines;
    RecordingReader reader;
    reader.needs.branches = true;
    reader.on_sample = [&](const Sample& sample, TraceTables&) {
      std::string line = absl::StrCat(sample.period, ":");
      const auto end = [](uint64_t address) {
        return address == kUnknownBranchEnd
                   ? std::string("?")
                   : absl::StrCat(absl::Hex(address - kFileStart));
      };
      for (const Branch& b : sample.branches) {
        absl::StrAppend(&line, " ", end(b.source), ">", end(b.target));
      }
      EXPECT_EQ(sample.branch_choice, BranchChoice::kAll);
      lines.push_back(line);
    };
    EXPECT_TRUE(ReadRecording(MemoryInput(AsFile(recording)), options_, reader,
                              &report_)
                    .ok());
    return lines;
  }
  uint64_t Counted(const std::string& message) {
    for (const auto& [text, entry] : report_.diagnostics.entries()) {
      if (absl::StartsWith(text, message)) return entry.count;
    }
    return 0;
  }

  TempFolder folder_;
  ConvertOptions options_;
  ConvertReport report_;
};

inline const Lines kBranches = {
    "branches 100/101 cpu0 @100 1 1008", "branches 100/101 cpu0 @100 1 1008",
    "branches 100/101 cpu0 @100 1 100c", "branches 100/101 cpu0 @100 1 101c"};

}  // namespace perf2x

#endif  // PERF2X_TESTS_CONVERT_ETM_TRACE_FIXTURE_H_
