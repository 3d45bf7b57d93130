// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_BRANCH_LISTS_BRANCH_LIST_FIXTURE_H_
#define PERF2X_TESTS_BRANCH_LISTS_BRANCH_LIST_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/branch_lists/etm_list_follower.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "tests/support/branch_list_maker.h"
#include "tests/support/etm_writer.h"
#include "tests/support/temp_folder.h"
#include "tests/support/write_bytes.h"

namespace perf2x {

// Converts branch lists of the program /bin/count.
class BranchListFixture : public testing::Test, private OutputFactory {
 protected:
  void SetUp() override {
    if (!EtmListFollower::InThisBuild()) GTEST_SKIP() << "no libopencsd-dev";
    std::filesystem::create_directory(folder_.File("bin"));
    WriteBytes(folder_.File("bin/count"),
               Arm64Program(CountdownProgram(), "count"));
    options_.symbols.binaries.symfs = folder_.path();
  }

  // What a trace of the whole program gives: it runs up to its first return,
  // and from there to its second.
  static branch_list::BranchList Countdown(uint64_t count) {
    branch_list::BranchList list = NewBranchList();
    branch_list::EtmBinary* const binary = AddBinary("/bin/count", &list);
    AddBranches(0x1000, "EENEE", count, binary);
    AddBranches(0x1010, "E", 2 * count, binary);
    return list;
  }

  absl::Status ConvertTo(absl::string_view format, Input input) {
    text_.clear();
    report_ = {};
    return Convert(std::move(input), *FindEmitter(format), *this, options_,
                   &report_);
  }
  absl::Status ConvertTo(absl::string_view format,
                         const std::vector<uint8_t>& bytes) {
    return ConvertTo(format, MemoryInput(bytes));
  }
  std::string BoltOf(const std::vector<uint8_t>& bytes) {
    const absl::Status status = ConvertTo("bolt", bytes);
    EXPECT_TRUE(status.ok()) << status;
    return text_;
  }
  // How often something was left out or damaged.
  uint64_t Counted(absl::string_view message) const {
    const auto it = report_.diagnostics.entries().find(message);
    return it == report_.diagnostics.entries().end() ? 0 : it->second.count;
  }

  OutputFactory& outputs() { return *this; }

  TempFolder folder_;
  ConvertOptions options_;
  ConvertReport report_;
  std::string text_;

 private:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return MakeStringOutput(&text_);
  }
};

// Countdown(7).
inline constexpr char kBolt[] =
    "B 1008 1004 14 0\n"
    "B 100c 1018 7 0\n"
    "F 1004 1008 7\n"
    "F 1004 100c 7\n"
    "F 1018 101c 7\n"
    "f 1000 1008 7\n"
    "f 1010 1014 14\n";

// Returns the lines in order.
inline std::string Sorted(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  std::sort(lines.begin(), lines.end());
  std::string sorted;
  for (const std::string& line : lines) sorted += line;
  return sorted;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_BRANCH_LISTS_BRANCH_LIST_FIXTURE_H_
