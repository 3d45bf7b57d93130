// SPDX-License-Identifier: Apache-2.0

// User stack dumps that several threads unwind: the same stacks, notes and
// bytes as with one thread, also when a budget runs out in the middle.

#include <dwarf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/convert/addresses.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/span_of.h"
#include "tests/support/temp_folder.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

constexpr uint64_t kStack = 0x7ffe0000, kCodeStart = 0x1000;
// Bytes of code that a row is for.
constexpr uint32_t kRow = 8;

// Rows change the frame address so that each has to be the right one.
uint64_t FrameSizeAt(uint64_t offset) {
  return 8 * (1 + (offset - kCodeStart) / kRow % 5);
}

class UnwindThreadsTest : public testing::Test {
 protected:
  UnwindThreadsTest() {
    EventAttr& attr = recording_.AddSoftwareEvent(
        kSampleIp | kSampleTid | kSampleTime | kSampleCallchain |
            kSampleRegsUser | kSampleStackUser,
        1);
    attr.flags = kSampleIdAll;
    attr.sample_regs_user = 1 << 7 | 1 << 8;  // x86-64's sp and ip
    attr.sample_stack_user = 4096;
    recording_.SetArch("x86_64");
    std::filesystem::create_directory(folder_.File("bin"));
  }

  // Writes a program with one function of so many rows.
  void WriteProgram(const std::string& path, uint32_t rows) {
    std::string code;
    for (uint32_t row = 0; row < rows; ++row) {
      const uint64_t size = FrameSizeAt(kCodeStart + row * kRow);
      if (row > 0) code += static_cast<char>(DW_CFA_advance_loc | kRow);
      code += {DW_CFA_def_cfa_offset, static_cast<char>(size)};
    }
    const Machine& machine = *MachineOf("x86_64", 2);
    const char initial[] = {DW_CFA_def_cfa, 7, 8, char(0x80 | 16), 1};
    const uint64_t at = kCodeStart + rows * kRow;
    const std::string frames =
        TestEhFrame(machine, at, 16, {initial, sizeof(initial)}, kCodeStart,
                    rows * kRow, code);
    std::ofstream(folder_.path() + path, std::ios::binary)
        << TestElf(machine, {{".text", kCodeStart, std::string(rows * kRow, 0)},
                             {".eh_frame", at, frames}});
  }
  void Map(int32_t pid, uint64_t start, uint32_t rows,
           const std::string& path) {
    recording_.Add(MmapOf(pid, path, start, kCodeStart + rows * kRow), At(pid),
                   kMiscUser);
  }
  void Comm(int32_t pid, const std::string& name, uint16_t misc = 0) {
    CommRecord comm;
    comm.pid = comm.tid = pid;
    comm.comm = name;
    recording_.Add(comm, At(pid), misc);
  }
  void FinishRound() {
    recording_.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  }

  // A sample of `depth` calls in the first `rows` rows of a program at `base`.
  // If `cut`, the dump ends before the last call. Adds the frames' offsets to
  // stacks_.
  void Call(int32_t pid, uint64_t base, uint32_t rows, size_t depth,
            bool in_kernel, bool cut) {
    std::vector<uint64_t> words, pcs;
    std::string& stack = stacks_.emplace_back();
    if (in_kernel) stack = "kernel ";
    for (size_t i = 0; i < depth; ++i) {
      const uint64_t at = kCodeStart + Random(rows * kRow);
      if (i > 0) words.back() = base + at + 1;  // a return address
      pcs.push_back(base + at);
      words.resize(words.size() + FrameSizeAt(at) / 8, 0xdead);
      absl::StrAppend(&stack, at, " ");
    }
    words.back() = 0;
    if (cut && words.size() > 1) {
      words.pop_back();
      stack += "cut ";
    }
    const std::vector<uint64_t> registers = {kStack, pcs[0]};
    const std::vector<uint64_t> chain = {kContextKernel, kKernelCode};
    SampleRecord sample;
    sample.ip = in_kernel ? kKernelCode : pcs[0];
    sample.pid = sample.tid = pid;
    const SampleId id = At(pid);
    sample.time = id.time;
    if (in_kernel) {
      sample.nr = chain.size();
      sample.ips = SpanOf(chain);
    }
    sample.user_abi = 2;
    sample.user_regs = SpanOf(registers);
    sample.stack_size = sample.stack_dyn_size = words.size() * 8;
    sample.stack = {reinterpret_cast<const uint8_t*>(words.data()),
                    words.size() * 8};
    recording_.Add(sample, id, in_kernel ? kMiscKernel : kMiscUser);
  }
  // A sample of a thread of the kernel: nothing to unwind.
  void CallInKernelThread() {
    SampleRecord sample;
    sample.ip = kKernelCode;
    sample.pid = sample.tid = 2;
    const SampleId id = At(2);
    sample.time = id.time;
    stacks_.push_back("kernel ");
    recording_.Add(sample, id, kMiscKernel);
  }

  // Processes that come one after the other, some with two programs, and whose
  // mappings change between samples.
  void AddSamples(int count) {
    constexpr uint32_t kRows = 200;
    constexpr uint64_t kFirst = 0x400000, kSecond = 0x10000000;
    WriteProgram("/bin/first", kRows);
    WriteProgram("/bin/second", kRows);
    int32_t pid = 0;
    uint64_t base = kFirst;
    for (int i = 0; i < count; ++i) {
      if (i % 500 == 0) {
        pid = 10 + i / 500;
        Comm(pid, absl::StrCat("p", pid % 3));
        Map(pid, base = kFirst, kRows, "/bin/first");
      }
      if (i % 500 == 200) Map(pid, base = kSecond, kRows, "/bin/second");
      if (i % 500 == 350) {
        Comm(pid, "new", kMiscCommExec);
        Map(pid, base = kFirst, kRows, "/bin/second");
      }
      if (i % 97 == 0) CallInKernelThread();
      if (i % 150 == 0) FinishRound();
      // Ever more of the rows are used.
      const auto rows = static_cast<uint32_t>(
          1 + uint64_t{kRows - 1} * static_cast<uint64_t>(i) /
                  static_cast<uint64_t>(count));
      Call(pid, base, rows, 1 + Random(25), i % 5 == 0, i % 11 == 0);
    }
  }

  ConvertOptions Options(int threads) const {
    ConvertOptions options;
    options.symbolize = false;
    options.threads = threads;
    options.symbols.binaries.symfs = folder_.path();
    options.symbols.binaries.buildid_dir = "/nonexistent";
    options.symbols.binaries.debug_dirs.clear();
    return options;
  }
  // The stacks that a conversion finds, as in stacks_.
  std::vector<std::string> Unwound(const ByteVector& bytes, int threads) {
    std::vector<std::string> stacks;
    RecordingReader reader;
    std::vector<FrameId> frames;
    reader.on_sample = [&](const Sample& s, TraceTables& tables) {
      tables.FramesOf(s.stack, &frames);
      std::string& stack = stacks.emplace_back();
      for (const FrameId id : frames) {
        const Frame& frame = tables.frames()[id];
        switch (tables.dsos()[frame.dso].kind) {
          case DsoKind::kKernel:
            stack += "kernel ";
            break;
          case DsoKind::kMarker:
            stack += "cut ";
            break;
          default:
            absl::StrAppend(&stack, frame.address, " ");
        }
      }
    };
    const absl::Status status =
        ReadRecording(MemoryInput(bytes), Options(threads), reader);
    EXPECT_TRUE(status.ok()) << status;
    return stacks;
  }

  struct Result {
    uint64_t samples = 0, unwound = 0;
    std::string text, notes;
    friend bool operator==(const Result&, const Result&) = default;
  };
  Result Convert(const ByteVector& bytes, const std::string& format,
                 int threads, Budget* budget = nullptr) {
    ConvertOptions options = Options(threads);
    options.budget = budget;
    Result result;
    Outputs outputs(&result.text);
    ConvertReport report;
    const absl::Status status = perf2x::Convert(
        MemoryInput(bytes), *FindEmitter(format), outputs, options, &report);
    EXPECT_TRUE(status.ok()) << status;
    for (const auto& event : report.events) result.samples += event.samples;
    result.unwound = report.facts.unwound_stacks;
    for (const auto& [message, entry] : report.diagnostics.entries()) {
      absl::StrAppend(&result.notes, message, " ", entry.count, " at ",
                      entry.first_offset, " ", entry.bytes, "\n");
    }
    return result;
  }

  Recording recording_;
  std::vector<std::string> stacks_;  // of the samples
  const TempFolder folder_;

 private:
  class Outputs final : public OutputFactory {
   public:
    explicit Outputs(std::string* text) : text_(text) {}
    absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
      return MakeStringOutput(text_);
    }

   private:
    std::string* const text_;
  };
  SampleId At(int32_t pid) {
    SampleId id;
    id.pid = id.tid = pid;
    id.time = ++time_;
    id.id = 1;
    return id;
  }
  uint64_t Random(uint64_t below) {
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    return (random_ >> 33) % below;
  }

  uint64_t time_ = 0, random_ = 1;
};

TEST_F(UnwindThreadsTest, FindsTheSameStacks) {
  AddSamples(6000);
  const Recording compressed = Compressed(recording_, kRecordCompressed, 50000);
  for (const ByteVector& bytes :
       {AsFile(recording_), AsPipe(recording_), AsFile(compressed)}) {
    for (const int threads : {1, 2, 3, 5}) {
      EXPECT_EQ(Unwound(bytes, threads), stacks_) << threads;
    }
  }
}

TEST_F(UnwindThreadsTest, WritesTheSameBytes) {
  AddSamples(3000);
  const ByteVector bytes = AsFile(recording_);
  for (const char* format : {"pprof", "folded", "html", "speedscope", "csv"}) {
    const Result one = Convert(bytes, format, 1);
    EXPECT_EQ(one.unwound, 3000u);
    EXPECT_FALSE(one.text.empty());
    for (const int threads : {2, 3, 5}) {
      EXPECT_EQ(Convert(bytes, format, threads) == one, true)
          << format << threads;
    }
  }
}

TEST_F(UnwindThreadsTest, WhereABudgetRunsOutDoesNotDependOnThreads) {
  constexpr uint64_t kSamples = 12'000;
  AddSamples(kSamples);
  const Recording compressed = Compressed(recording_, kRecordCompressed, 50000);
  for (const ByteVector& bytes : {AsFile(recording_), AsPipe(compressed)}) {
    for (const auto& [memory, work] :
         {std::pair<uint64_t, uint64_t>{1 << 30, 120'000},
          std::pair<uint64_t, uint64_t>{2'000'000, 1 << 30}}) {
      const Budget::Rules rules = {{{memory, 0}, {work, 0}, {1 << 30, 0}}};
      const auto convert = [&](int threads) {
        Budget budget(rules);
        return Convert(bytes, "folded", threads, &budget);
      };
      const Result one = convert(1);
      EXPECT_GT(one.samples, kSamples / 10);
      EXPECT_LT(one.samples, kSamples * 9 / 10);
      EXPECT_NE(one.notes.find("record left out"), std::string::npos)
          << one.notes;
      for (const int threads : {2, 3, 4}) {
        const Result more = convert(threads);
        EXPECT_EQ(more.samples, one.samples) << threads;
        EXPECT_EQ(more.notes, one.notes) << threads;
        EXPECT_EQ(more == one, true) << threads;
      }
    }
  }
}

// Each row of a long function costs the reading of all before it: at some row
// the budget of the file is used up, and stacks end from there on.
TEST_F(UnwindThreadsTest, WhereAFilesBudgetRunsOutDoesNotDependOnThreads) {
  constexpr uint32_t kRows = 9000;
  WriteProgram("/bin/long", kRows);
  Comm(7, "long");
  Map(7, 0x400000, kRows, "/bin/long");
  for (uint32_t i = 0; i < 3000; ++i) {
    Call(7, 0x400000, 1 + 3 * i, 2, false, false);
  }
  const ByteVector bytes = AsFile(recording_);
  const Result one = Convert(bytes, "folded", 1);
  EXPECT_NE(one.notes.find("no call frame information"), std::string::npos)
      << one.notes;
  const std::vector<std::string> stacks = Unwound(bytes, 1);
  EXPECT_EQ(stacks[0], stacks_[0]);
  EXPECT_NE(stacks, stacks_);
  for (const int threads : {2, 3, 4}) {
    EXPECT_EQ(Unwound(bytes, threads), stacks) << threads;
    EXPECT_EQ(Convert(bytes, "folded", threads) == one, true) << threads;
  }
}

}  // namespace
}  // namespace perf2x
