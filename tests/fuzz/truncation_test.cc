// SPDX-License-Identifier: Apache-2.0

// Files that become shorter at any moment while perf2x reads them: no signal,
// no crash, and a result or one line that says why there is none.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/inspect/inspect.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/read_back.h"
#include "tests/fuzz/record_sequence.h"
#include "tests/support/bounds.h"
#include "tests/support/compressed_file.h"
#include "tests/support/file_bytes.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

class StringOutputs final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(
      absl::string_view name) override {
    return MakeStringOutput(&files[std::string(name)]);
  }
  std::map<std::string, std::string> files;
};

// A recording's records over and over, as a file or a folder.
std::vector<ByteVector> LongRecording(bool folder, uint64_t bytes) {
  RecordSequence list =
      ParseRecordSequence(FileBytes("testdata/callgraph.data"));
  list.repeat.first = list.HeadSize();
  list.repeat.count = list.records.size() - list.HeadSize();
  list.repeat.bytes = bytes;
  Storage storage;
  storage.max_plain = bytes;
  storage.container = Storage::Container::kFile;
  std::vector<ByteVector> files = Store(list, storage);
  if (!folder) return files;
  // The same records once more, with nothing in front.
  storage.container = Storage::Container::kFolder;
  storage.data_files = 1;
  list.repeat.first = list.records.size() - 1;
  list.repeat.count = 1;
  return Store(list, storage);
}

// Converts `input` to `way`, and returns what is wrong with the result, or "".
std::string Try(const std::string& input, const std::string& way,
                const ConvertOptions& options) {
  auto opened = OpenInput(input);
  if (!opened.ok()) return "";
  StringOutputs outputs;
  absl::Status status;
  ConvertReport report;
  if (way == "info" || way == "dump") {
    const auto output = MakeStringOutput(&outputs.files[""]);
    status = way == "info" ? WriteInfo(*std::move(opened), /*json=*/true,
                                       *output, &report.diagnostics)
                           : WriteDump(*std::move(opened), DumpOptions(),
                                       *output, &report.diagnostics);
  } else {
    status = Convert(*std::move(opened), *FindEmitter(way), outputs, options,
                     &report);
  }
  if (!status.ok()) return status.message().empty() ? "no message" : "";
  for (const auto& [name, text] : outputs.files) {
    const std::string bad = way == "info"   ? CheckJson(text)
                            : way == "dump" ? CheckPlainText(text)
                                            : CheckFormat(way, text);
    if (!bad.empty()) return absl::StrCat(name, ": ", bad);
  }
  return "";
}

constexpr size_t kRounds = 5;  // of each way

// Converts again and again while `victim` is truncated after some time, and
// restored.
void Truncate(const std::string& input, const std::string& victim,
              const ConvertOptions& options) {
  const ByteVector whole = FileBytes(victim);
  const std::vector<std::string> ways = EveryWay();
  Random random(1);
  for (size_t round = 0; round < kRounds * ways.size(); ++round) {
    WriteBytes(victim, whole);
    const std::string way = ways[round % ways.size()];
    const auto wait = std::chrono::microseconds(random.Magnitude(100'000));
    const auto size = static_cast<off_t>(random.Below(whole.size()));
    std::thread cutter([&] {
      std::this_thread::sleep_for(wait);
      EXPECT_EQ(truncate(victim.c_str(), size), 0);
    });
    EXPECT_EQ(Try(input, way, options), "") << way;
    cutter.join();
  }
}

uint64_t Size() { return Sanitized() ? 500'000 : 5'000'000; }

TEST(TruncationTest, OfTheRecording) {
  const TempFolder folder;
  const std::string path = folder.File("perf.data");
  WriteBytes(path, LongRecording(false, Size())[0]);
  ConvertOptions options = WithoutFiles();
  options.threads = 3;
  Truncate(path, path, options);
}

TEST(TruncationTest, OfAFileInAFolder) {
  const TempFolder folder;
  const std::vector<ByteVector> files = LongRecording(true, Size());
  ASSERT_EQ(files.size(), 2u);
  WriteBytes(folder.File("data"), files[0]);
  WriteBytes(folder.File("data.0"), files[1]);
  Truncate(folder.path(), folder.File("data.0"), WithoutFiles());
}

TEST(TruncationTest, OfAPackedRecording) {
  const TempFolder folder;
  const std::string path = folder.File("perf.data");
  WriteBytes(path, Gzipped(LongRecording(false, Size())[0]));
  Truncate(path, path, WithoutFiles());
}

TEST(TruncationTest, OfASymbolFile) {
  const TempFolder folder;
  fs::copy("testdata/symfs", folder.File("symfs"), fs::copy_options::recursive);
  ConvertOptions options = WithoutFiles();
  options.symbolize = true;
  options.symbols.binaries.symfs = folder.File("symfs");
  options.threads = 2;
  for (const char* name : {"tasks", "spin"}) {
    Truncate("testdata/dwarf.data",
             folder.File(absl::StrCat("symfs/opt/demo/bin/", name)), options);
  }
}

}  // namespace
}  // namespace perf2x
