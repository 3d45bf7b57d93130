// SPDX-License-Identifier: Apache-2.0

// Recordings of Intel PT through code that is in no file of a program: the
// kernel's memory, and functions in jitdumps.

#ifdef PERF2X_INTEL_PT
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/input/input.h"
#include "converter/perf/records/kernel_records.h"
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

// As perf copies /proc/kcore: a core file without sections.
std::string Core(uint64_t address, const std::string& code) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_CORE;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_W | PF_X;
  segment.p_offset = 4096;
  segment.p_vaddr = address;
  segment.p_filesz = segment.p_memsz = code.size();
  std::string core(4096, '\0');
  std::memcpy(core.data(), &header, sizeof(header));
  std::memcpy(core.data() + sizeof(header), &segment, sizeof(segment));
  return core + code;
}

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
        Core(kModule, std::string(0x40, '\x90') + kLoop));
  EXPECT_EQ(read(), Expected(kModule + 0x40));
  // Not a copy of memory.
  Write("perf.data/kcore_dir/kcore", "none");
  EXPECT_TRUE(read().empty());
}

std::string LoadOf(uint64_t time, uint64_t at, uint64_t index,
                   const std::string& code) {
  Bytes body;
  body.U32(100).U32(100).U64(at).U64(at).U64(code.size()).U64(index);
  body.Add(std::string("f\0", 2)).Add(code);
  Bytes record;
  record.U32(0).U32(static_cast<uint32_t>(16 + body.size())).U64(time);
  return record.Add(body.str()).str();
}

std::string MoveOf(uint64_t time, uint64_t from, uint64_t to, uint64_t index) {
  Bytes body;
  body.U32(100).U32(100).U64(to).U64(from).U64(to).U64(kLoop.size());
  body.U64(index);
  Bytes record;
  record.U32(1).U32(static_cast<uint32_t>(16 + body.size())).U64(time);
  return record.Add(body.str()).str();
}

constexpr uint64_t kFirst = 0x7f0000001000;

Bytes BeginOfDump() {
  Bytes dump;
  dump.U32(0x4a695444).U32(1).U32(40).U32(62).U32(0).U32(100).U64(0).U64(0);
  return dump;
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
  Bytes dump = BeginOfDump();
  dump.Add(LoadOf(500, kFirst, 1, kLoop));
  dump.Add(MoveOf(600, kFirst, kMoved, 1));
  dump.Add(LoadOf(700, kFirst, 2, std::string("\x90\x74\xfd\x90", 4)));
  Write("jit-100.dump", dump.str());
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
  Bytes dump = BeginOfDump();
  dump.Add(LoadOf(500, kFirst, 1, kLoop));
  dump.Add(LoadOf(2000, kFirst, 2, std::string("\x90\x74\xfd\x90", 4)));
  Write("jit-100.dump", dump.str());
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
