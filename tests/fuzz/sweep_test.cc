// SPDX-License-Identifier: Apache-2.0

// Recordings cut at every length and with every byte changed: nothing crashes
// or hangs, memory stays bounded, and what survives a cut never grows as the
// cut shortens. PERF2X_SWEEP=NAME sweeps a recording of testdata/, too, not
// only the smallest of each container.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/emit/registry.h"
#include "tests/support/compressed_file.h"
#include "tests/support/file_bytes.h"
#include "tests/support/hostile.h"
#include "tests/support/other_order.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

// CPU time of one conversion of a few KB. Its usual cost is a thousandth.
constexpr double kMaxSeconds = 1;
// Resident memory that one conversion may take: mostly buffers, which do not
// depend on the input, and what a zstd frame's header can ask for.
constexpr uint64_t kMaxSweepMemory = 40 << 20;
constexpr uint64_t kMaxMemoryPerByte = 100;
constexpr size_t kSmall = 6 << 10;

// A file, or a folder's data and data.N.
using Files = std::vector<ByteVector>;

Input InputOf(const Files& files) {
  Input input = MemoryInput(files[0]);
  for (size_t i = 1; i < files.size(); ++i) {
    if (files[i].empty()) continue;
    input.data_files.push_back(
        {absl::StrCat("data.", i - 1), MemoryInput(files[i]).mapped, {}});
  }
  return input;
}

size_t SizeOf(const Files& files) {
  size_t size = 0;
  for (const ByteVector& file : files) size += file.size();
  return size;
}

class Sweep {
 public:
  explicit Sweep(Files files) : files_(std::move(files)) {}

  // Converts `files_` as they are now, and checks the cost.
  Outcome Try(const std::string& how, absl::string_view format = "walk") {
    Outcome outcome = ConvertHostile(InputOf(files_), format);
    ++tried_;
    EXPECT_TRUE(outcome.BytesAddUp()) << how;
    if (!Sanitized()) {
      EXPECT_LT(outcome.seconds, kMaxSeconds) << how;
      EXPECT_LT(outcome.peak_memory,
                kMaxSweepMemory + kMaxMemoryPerByte * SizeOf(files_))
          << how;
    }
    return outcome;
  }

  // Cuts at each `step`th length; which of them depends on the file's size.
  void Cuts(size_t step = 1) {
    for (size_t file = 0; file < files_.size(); ++file) {
      const ByteVector whole = files_[file];
      uint64_t records = ~uint64_t{0}, samples = ~uint64_t{0};
      for (size_t cut = whole.size() % step; cut <= whole.size(); cut += step) {
        const size_t size = whole.size() - cut;
        files_[file].assign(whole.begin(), whole.begin() + size);
        const std::string how = absl::StrCat("file ", file, " cut at ", size);
        const Outcome outcome = Try(how);
        ASSERT_LE(outcome.report.bytes.record_bytes, records) << how;
        ASSERT_LE(outcome.samples, samples) << how;
        records = outcome.report.bytes.record_bytes;
        samples = outcome.samples;
      }
      files_[file] = whole;
    }
  }

  void CutAt(size_t file, size_t size, absl::string_view format) {
    const ByteVector whole = files_[file];
    files_[file].resize(size);
    Try(absl::StrCat("file ", file, " cut at ", size), format);
    files_[file] = whole;
  }

  // Sets a byte to 0, to 0xff, and flips its bits.
  void Change(size_t file, size_t at, absl::string_view format = "walk") {
    uint8_t& byte = files_[file][at];
    const uint8_t before = byte;
    for (const int value : {0, 0xff, before ^ 0xff}) {
      if (value == before) continue;
      byte = static_cast<uint8_t>(value);
      Try(absl::StrCat("byte ", at, " of file ", file, " set to ", value,
                       " for ", format),
          format);
      byte = before;
    }
  }

  // Changes each `step`th byte.
  void Changes(size_t step = 1) {
    for (size_t file = 0; file < files_.size(); ++file) {
      for (size_t at = 0; at < files_[file].size(); at += step) {
        Change(file, at);
      }
    }
  }

  const Files& files() const { return files_; }
  size_t tried() const { return tried_; }

 private:
  Files files_;
  size_t tried_ = 0;
};

// Some records of each kind with the features that decoding needs.
Recording SmallRecording(const std::string& name) {
  const Recording all = TakeApart(OpenTestdata(name));
  Recording small = all;
  std::erase_if(small.features, [](const Recording::Feature& feature) {
    return feature.data.size() > 300;
  });
  small.records.clear();
  std::map<uint32_t, int> seen;
  for (const Recording::Record& record : all.records) {
    if (record.body.size() > 300) continue;
    if (++seen[record.type] <= 2) small.records.push_back(record);
  }
  return small;
}

struct SweptContainer {
  const char* name;
  Files (*make)();
};

Files Folder(const Recording& recording) {
  const TempFolder temp;
  const fs::path folder = temp.File("sweep.data");
  WriteDirectory(recording, folder);
  Files files = {FileBytes(folder / "data")};
  for (int i = 0; fs::exists(folder / absl::StrCat("data.", i)); ++i) {
    files.push_back(FileBytes(folder / absl::StrCat("data.", i)));
  }
  return files;
}

const Recording& SmallCallgraph() {
  static const auto& kSmallRecording =
      *new Recording(SmallRecording("callgraph.data"));
  return kSmallRecording;
}

constexpr SweptContainer kContainers[] = {
    {"File", [] { return Files{AsFile(SmallCallgraph())}; }},
    {"FileInOtherOrder",
     [] { return Files{AsFile(InOtherOrder(SmallCallgraph()))}; }},
    {"FirstVersion", [] { return Files{AsFirstVersion(SmallCallgraph())}; }},
    {"Pipe", [] { return Files{AsPipe(SmallCallgraph())}; }},
    {"PipeInOtherOrder",
     [] { return Files{AsPipe(InOtherOrder(SmallCallgraph()))}; }},
    {"Directory", [] { return Folder(SmallCallgraph()); }},
    {"Compressed",
     [] {
       return Files{AsFile(Compressed(SmallCallgraph(), kRecordCompressed))};
     }},
    {"Compressed2",
     [] {
       return Files{AsPipe(Compressed(SmallCallgraph(), kRecordCompressed2))};
     }},
    {"Gzip", [] { return Files{Gzipped(AsFile(SmallCallgraph()))}; }},
    {"Bzip2", [] { return Files{Bzip2ed(AsFile(SmallCallgraph()))}; }},
    {"Xz", [] { return Files{Xzed(AsPipe(SmallCallgraph()))}; }},
    {"Zstd", [] { return Files{Zstded(AsFile(SmallCallgraph()))}; }},
    {"Tracepoints",
     [] { return Files{AsPipe(SmallRecording("switch.data"))}; }},
};

class SweepTest : public testing::TestWithParam<SweptContainer> {};

TEST_P(SweepTest, EveryCut) {
  Sweep sweep(GetParam().make());
  ASSERT_LE(SizeOf(sweep.files()), kSmall);
  EXPECT_GT(sweep.Try("whole").samples, 0u);
  // Under sanitizers, which make a conversion slow, only every third length:
  // there is still a cut in each field of four bytes or more.
  sweep.Cuts(Sanitized() ? 3 : 1);
  EXPECT_GT(sweep.tried(), Sanitized() ? 165u : 500u);
}

TEST_P(SweepTest, EveryByteChanged) {
  Sweep sweep(GetParam().make());
  // Under sanitizers, which make a conversion slow, only every fifth byte. The
  // sizes of fields are powers of two, so each byte of a field has its turn.
  sweep.Changes(Sanitized() ? 5 : 1);
  EXPECT_GT(sweep.tried(), Sanitized() ? 300u : 1000u);
}

INSTANTIATE_TEST_SUITE_P(Containers, SweepTest, testing::ValuesIn(kContainers),
                         [](const auto& test) { return test.param.name; });

// The other recordings, in all formats: at places from a fixed seed or, with
// PERF2X_SWEEP, at all places.
TEST(SweepRecordingsTest, CutAndChangedInAllFormats) {
  const char* const all = std::getenv("PERF2X_SWEEP");
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator("testdata")) {
    if (entry.path().extension() == ".data") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  ASSERT_GT(paths.size(), 10u);
  for (const fs::path& path : paths) {
    if (all != nullptr && path.filename() != all) continue;
    SCOPED_TRACE(path);
    Files files;
    if (fs::is_directory(path)) {
      files = {FileBytes(path / "data"), FileBytes(path / "data.0"),
               FileBytes(path / "data.1")};
    } else {
      files = {FileBytes(path)};
    }
    Sweep sweep(files);
    if (all != nullptr) {
      sweep.Cuts();
      sweep.Changes();
      std::printf("%zu conversions\n", sweep.tried());
      continue;
    }
    std::mt19937 random(1);
    const int places = Sanitized() ? 5 : 10;
    for (const EmitterInfo& format : Emitters()) {
      for (int i = 0; i < places; ++i) {
        const size_t file = random() % files.size();
        const size_t at = random() % files[file].size();
        sweep.CutAt(file, at, format.name);
        sweep.Change(file, at, format.name);
      }
    }
  }
}

}  // namespace
}  // namespace perf2x
