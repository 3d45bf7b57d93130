// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SYMBOLIZE_FIND_SOURCES_FIXTURE_H_
#define PERF2X_TESTS_SYMBOLIZE_FIND_SOURCES_FIXTURE_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_format.h"
#include "converter/symbolize/find/safe_file.h"
#include "converter/symbolize/symbolize.h"
#include "tests/support/temp_folder.h"

namespace perf2x {

namespace fs = std::filesystem;

inline const char kProgram[] = "tests/symbolize/data/gcc-dwarf5";

// Returns a member of a tar file; Archive does not look at the checksum.
inline std::string TarMember(const std::string& name, char type,
                             const std::string& content) {
  std::string out(512, '\0');
  out.replace(0, name.size(), name);
  out.replace(124, 11, absl::StrFormat("%011o", content.size()));
  out[156] = type;
  out += content;
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}

class SourcesTest : public testing::Test {
 protected:
  SourcesTest() {
    options_.binaries.debug_dirs.clear();
    options_.binaries.buildid_dir = dir_ + "/cache";
    auto file = SafeFile::Open(kProgram);
    EXPECT_TRUE(file.ok());
    id_ = (*ElfFile::Open(*file))->build_id();
    EXPECT_FALSE(id_.empty());
  }

  std::string Write(const std::string& path, const std::string& text) {
    const std::string to = dir_ + "/" + path;
    fs::create_directories(fs::path(to).parent_path());
    std::ofstream(to, std::ios::binary) << text;
    return to;
  }
  std::string Copy(const std::string& from, const std::string& to) {
    fs::create_directories(fs::path(dir_ + "/" + to).parent_path());
    fs::copy(from, dir_ + "/" + to);
    return dir_ + "/" + to;
  }
  // The name of the code at `address` and what is reported.
  std::string Name(const Dso& file, uint64_t address = 0x230) {
    auto symbolizer = MakeSymbolizer(options_);
    std::string name;
    lines_ = 0;
    symbolizer->Resolve(file, {&address, 1},
                        [&](size_t, absl::Span<const Symbol> symbols) {
                          name = std::string(symbols.back().name);
                          lines_ = symbols.back().line;
                        });
    report_ = symbolizer->Reports().at(0);
    return name;
  }
  static Dso File(const std::string& name, BuildId id = {}) {
    Dso file;
    file.kind = DsoKind::kFile;
    file.name = name;
    file.build_id = id;
    return file;
  }

  TempFolder folder_;
  const std::string dir_ = folder_.path();
  SymbolizeOptions options_;
  BuildId id_;
  DsoReport report_;
  uint32_t lines_ = 0;  // line of the last name
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SYMBOLIZE_FIND_SOURCES_FIXTURE_H_
