// SPDX-License-Identifier: Apache-2.0

// Recordings of Intel PT through code that is in no file of a program: the
// kernel's memory, and functions in jitdumps.

#ifdef PERF2X_INTEL_PT
#include <elf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/input/input.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/jit_dump.h"
#include "tests/support/kernel_core.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/pt_recording.h"
#include "tests/support/pt_writer.h"
#include "tests/support/read_recording.h"
#include "tests/support/temp_folder.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;

// nop; nop; jz back
const std::string kLoop("\x90\x90\x74\xfc\x90", 5);

class PtCodeTest : public testing::Test {
 protected:
  void Write(const std::string& file, const std::string& bytes) {
    const std::filesystem::path path = folder_.File(file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  // Two turns of the loop at `at`.
  static ByteVector TwoTurns(uint64_t at) {
    PtWriter trace;
    trace.Psb(at, 1'000);
    trace.Tnt(true);
    trace.Tnt(true);
    trace.Disable(at);
    return trace.Bytes();
  }
  // The addresses of all instructions.
  Lines InstructionsOf(Input input) {
    ConvertOptions options;
    options.symbols.perf_map_dirs = {folder_.path()};
    options.itrace = *ParseItraceOptions("i1i");
    Lines lines;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& sample, TraceTables&) {
      lines.push_back(absl::StrCat(absl::Hex(sample.ip)));
    };
    const absl::Status status =
        ReadRecording(std::move(input), options, reader, &report_);
    EXPECT_TRUE(status.ok()) << status;
    return lines;
  }
  static Lines Expected(uint64_t at) {
    Lines lines;
    for (int turn = 0; turn < 2; ++turn) {
      for (const uint64_t by : {0, 1, 2}) {
        lines.push_back(absl::StrCat(absl::Hex(at + by)));
      }
    }
    return lines;
  }

  const TempFolder folder_;
  ConvertReport report_;
};

TEST_F(PtCodeTest, TheKernelsMemoryIsInTheRecording) {
  constexpr uint64_t kModule = 0xffffffffc0100000;
  Recording recording = NewProcessRecording();
  AddTrace({.bytes = TwoTurns(kModule + 0x40), .cpu = -1, .tid = 100},
           &recording);
  WriteDirectory(recording, folder_.File("perf.data"));
  const auto read = [&] {
    auto input = OpenInput(folder_.File("perf.data"));
    EXPECT_TRUE(input.ok()) << input.status();
    return InstructionsOf(*std::move(input));
  };
  EXPECT_TRUE(read().empty());
  Write("perf.data/kcore_dir/kcore",
        KernelCore({{kModule, std::string(0x40, '\x90') + kLoop}}));
  EXPECT_EQ(read(), Expected(kModule + 0x40));
  // Not a copy of memory.
  Write("perf.data/kcore_dir/kcore", "none");
  EXPECT_TRUE(read().empty());
}

constexpr uint64_t kFirst = 0x7f0000001000;

std::string BeginOfDump() { return JitDumpOf(EM_X86_64, 100); }

std::string LoadOf(uint64_t time, uint64_t at, uint64_t index,
                   const std::string& code) {
  return JitLoad(time, 100, at, index, code);
}

// A recording of process 100, which mapped the jitdump.
Recording JitRecording() {
  Recording recording = NewProcessRecording();
  recording.Add(MmapOf(100, "/tmp/jit-100.dump", 0x7e0000000000), At(400, 100),
                kMiscUser);
  return recording;
}

TEST_F(PtCodeTest, FunctionsInJitdumps) {
  constexpr uint64_t kMoved = 0x7f0000002000;
  std::string dump = BeginOfDump();
  dump += LoadOf(500, kFirst, 1, kLoop);
  dump += JitMove(600, 100, kFirst, kMoved, 1, kLoop.size());
  dump += LoadOf(700, kFirst, 2, std::string("\x90\x74\xfd\x90", 4));
  Write("jit-100.dump", dump);
  for (const uint64_t at : {kFirst, kMoved}) {
    Recording recording = JitRecording();
    AddTrace({.bytes = TwoTurns(at), .cpu = -1, .tid = 100}, &recording);
    CommRecord comm;
    comm.pid = comm.tid = 100;
    recording.Add(comm, At(900, 100));
    const Lines found = InstructionsOf(MemoryInput(AsFile(recording)));
    if (at == kMoved) {
      EXPECT_EQ(found, Expected(at));
    } else {
      EXPECT_EQ(found, (Lines{"7f0000001000", "7f0000001001", "7f0000001000",
                              "7f0000001001"}));
    }
  }
}

// Another function comes to the same place at 2000, between two runs. The next
// record is before both, or after both.
TEST_F(PtCodeTest, CodeIsThatOfTheTracesTime) {
  std::string dump = BeginOfDump();
  dump += LoadOf(500, kFirst, 1, kLoop);
  dump += LoadOf(2000, kFirst, 2, std::string("\x90\x74\xfd\x90", 4));
  Write("jit-100.dump", dump);
  PtWriter trace;
  trace.Psb(kFirst, 1'000);
  trace.Tnt(true);
  trace.Tnt(true);
  trace.Disable(kFirst);
  trace.Tsc(3'000);
  trace.Enable(kFirst);
  trace.Tnt(true);
  trace.Tnt(true);
  trace.Disable(kFirst);
  Lines expected = Expected(kFirst);
  for (int turn = 0; turn < 2; ++turn) {
    for (const uint64_t by : {0, 1}) {
      expected.push_back(absl::StrCat(absl::Hex(kFirst + by)));
    }
  }
  for (const uint64_t time : {900, 5'000}) {
    Recording recording = JitRecording();
    AddTrace({.bytes = trace.Bytes(), .cpu = -1, .tid = 100}, &recording);
    CommRecord comm;
    comm.pid = comm.tid = 100;
    recording.Add(comm, At(time, 100));
    EXPECT_EQ(InstructionsOf(MemoryInput(AsFile(recording))), expected) << time;
  }
}

}  // namespace
}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
