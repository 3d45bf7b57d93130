// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_CONVERT_ETM_TRACE_FIXTURE_H_
#define PERF2X_TESTS_CONVERT_ETM_TRACE_FIXTURE_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
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
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/temp_folder.h"

namespace perf2x {

using Lines = std::vector<std::string>;

inline constexpr uint8_t kId = 0x10;
inline constexpr int32_t kThread = 101;
inline constexpr uint64_t kBase = 0x5500000000;  // of the mapped file

// Counts from 3 to 0, calls a function and returns.
inline const std::vector<uint32_t> kProgram = {
    0xd2800060,  // 1000: mov x0, #3
    0xd1000400,  // 1004: sub x0, x0, #1
    0xb5ffffe0,  // 1008: cbnz x0, 1004
    0x94000003,  // 100c: bl 1018
    0xd503201f,  // 1010: nop
    0xd65f03c0,  // 1014: ret
    0xd503201f,  // 1018: nop
    0xd65f03c0,  // 101c: ret
};

inline ByteVector BytesOf(const std::vector<uint64_t>& words) {
  ByteVector bytes;
  for (const uint64_t word : words) {
    for (int i = 0; i < 8; ++i) {
      bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
    }
  }
  return bytes;
}

inline EtmWriter ProgramTrace() {
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kBase + 0x1000, kThread).Timestamp(1000);
  writer.Atoms("EENEE").Address(kBase + 0x1010).Atoms("E");
  return writer;
}

// Recordings of a program and its CoreSight trace.
class EtmTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!EtmDecoder::InThisBuild()) GTEST_SKIP() << "without libopencsd-dev";
    std::filesystem::create_directory(folder_.File("bin"));
    const auto program = Arm64Program(kProgram, "count");
    std::ofstream(folder_.File("bin/traced"), std::ios::binary)
        .write(reinterpret_cast<const char*>(program.data()),
               static_cast<std::streamsize>(program.size()));
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

  // A process that runs the program, without its trace.
  static Recording Program(const std::vector<EtmSource>& sources) {
    Recording recording;
    Recording::Event event;
    event.attr.type = 8;
    event.attr.sample_type =
        kSampleIp | kSampleTid | kSampleTime | kSampleCpu | kSampleIdentifier;
    event.attr.flags = 1 << 18;  // sample_id_all
    event.ids = {5};
    event.name = "cs_etm//";
    recording.events = {event};
    std::vector<uint64_t> info = {kAuxtraceCsEtm};
    for (const uint64_t word : EtmInfoWords(sources)) info.push_back(word);
    recording.records.push_back({kRecordAuxtraceInfo, 0, BytesOf(info), {}, 0});
    CommRecord comm;
    comm.pid = 100;
    comm.tid = kThread;
    comm.comm = "worker";
    recording.Add(comm, At(1));
    MmapRecord mmap;
    mmap.pid = 100;
    mmap.tid = kThread;
    mmap.addr = kBase;
    mmap.len = 0x2000;
    mmap.filename = "/bin/traced";
    recording.Add(mmap, At(2), kMiscUser);
    return recording;
  }

  static void AddAux(uint64_t offset, uint64_t size, uint64_t flags,
                     const SampleId& id, Recording* recording) {
    AuxRecord aux;
    aux.aux_offset = offset;
    aux.aux_size = size;
    aux.flags = flags;
    recording->Add(aux, id);
  }
  static void AddTrace(uint64_t offset, int32_t cpu, int32_t tid,
                       const ByteVector& trace, Recording* recording) {
    ByteVector body = BytesOf({trace.size(), offset, 0});
    for (const int32_t word : {0, tid, cpu, 0}) {
      for (int i = 0; i < 4; ++i) {
        body.push_back(static_cast<uint8_t>(word >> (8 * i)));
      }
    }
    recording->records.push_back({kRecordAuxtrace, 0, body, trace, 0});
  }
  // The whole of a trace that CPU 0 wrote.
  static Recording Traced(const ByteVector& trace, uint64_t flags = 0) {
    Recording recording = Program({EtmWriter::Source(0, kId)});
    AddAux(0, trace.size(), flags, At(100), &recording);
    AddTrace(0, 0, -1, trace, &recording);
    return recording;
  }

  // A line for each sample: event, thread, CPU, time, period, function and
  // address.
  Lines SamplesOf(const ByteVector& bytes) {
    Lines lines;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      const Thread& thread = tables.threads[sample.thread];
      lines.push_back(absl::StrCat(
          tables.events[sample.event].name, " ", thread.pid, "/", thread.tid,
          " cpu", sample.cpu, " @", sample.time.value_or(0), " ", sample.period,
          " ", absl::Hex(sample.ip - kBase)));
    };
    EXPECT_TRUE(
        ReadRecording(MemoryInput(bytes), options_, reader, &report_).ok());
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
                   : absl::StrCat(absl::Hex(address - kBase));
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
