// SPDX-License-Identifier: Apache-2.0

// What the summary says of the symbols that a profile lacks.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "converter/cli/report.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "tests/profile_source/profile_maker.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/text_output.h"

namespace perf2x {
namespace {

// Of 100 samples, 60 have code without names in a program that is not here, 30
// of them also in a library, and 10 in the kernel. Some of the library has
// names.
class ProfileSymbolsTest : public testing::TestWithParam<const char*> {
 protected:
  ProfileSymbolsTest() {
    profile_.Type("samples", "count").Type("cpu", "nanoseconds");
    const uint64_t app = profile_.Mapping("/nowhere/app", 0x400000, 0x1000);
    const uint64_t lib = profile_.Mapping("/nowhere/lib.so", 0x500000, 0x1000);
    const uint64_t kernel =
        profile_.Mapping("[kernel.kallsyms]", 0xffff0000, 0x1000);
    const uint64_t in_app = profile_.Location(app, 0x400010, {});
    const uint64_t also = profile_.Location(app, 0x400020, {"[app]"});
    const uint64_t in_lib = profile_.Location(lib, 0x500010, {});
    const uint64_t named = profile_.Location(lib, 0x500020, {"Named"}, 7);
    const uint64_t in_kernel = profile_.Location(kernel, 0xffff0010, {});
    profile_.Sample({in_app, also}, {20, 1000});
    profile_.Sample({also, in_app, named}, {10, 1000});
    profile_.Sample({in_lib, in_app}, {30, 1000});
    profile_.Sample({in_kernel, named}, {10, 1000});
    profile_.Sample({named}, {29, 1000});
    profile_.Sample({}, {1, 1000});
  }
  ConvertReport Report() {
    const std::string text = profile_.Bytes();
    const ByteVector bytes(text.begin(), text.end());
    const EmitterInfo& format = *FindEmitter(GetParam());
    options_.emitter_options = WithDefaults(format, {});
    TextOutput out;
    ConvertReport report;
    const absl::Status status =
        Convert(MemoryInput(bytes), format, out, options_, &report);
    EXPECT_TRUE(status.ok()) << status;
    return report;
  }
  ProfileMaker profile_;
  ConvertOptions options_;
};

TEST_P(ProfileSymbolsTest, TheSummaryRanksFilesWithoutSymbols) {
  const ConvertReport report = Report();
  EXPECT_EQ(report.facts.stacks.samples(), 100u);
  EXPECT_EQ(report.unsymbolized_samples, 70u);
  std::map<std::string, uint64_t> samples;
  for (const DsoReport& file : report.symbols) {
    samples[file.name] = file.samples;
  }
  EXPECT_EQ(samples["/nowhere/app"], 60u);
  EXPECT_EQ(samples["/nowhere/lib.so"], 30u);
  EXPECT_EQ(samples["[kernel.kallsyms]"], 10u);
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
  const std::string text = SummaryText(report, /*verbose=*/false);
  EXPECT_TRUE(absl::StrContains(
      text,
      "  70 % of samples have code without symbols, in:\n"
      "    60 % /nowhere/app\n"
      "      there is no such file here: pass --symfs with a folder that has "
      "it\n"
      "    30 % /nowhere/lib.so\n"))
      << text;
}

TEST_P(ProfileSymbolsTest, NothingIsSaidOfSymbolsThatNobodyLookedFor) {
  options_.symbolize = false;
  const ConvertReport report = Report();
  EXPECT_EQ(report.unsymbolized_samples, 0u);
  EXPECT_FALSE(absl::StrContains(SummaryText(report, false), "symbols"));
}

TEST_P(ProfileSymbolsTest, FiltersCountToo) {
  options_.filter.max_stack = 1;
  EXPECT_EQ(Report().unsymbolized_samples, 70u);
  profile_ = ProfileMaker();
  profile_.Type("samples", "count");
  const uint64_t app = profile_.Mapping("/nowhere/app", 0x400000, 0x1000);
  const uint64_t leaf = profile_.Location(app, 0x400010, {"Leaf"});
  const uint64_t caller = profile_.Location(app, 0x400020, {});
  profile_.Sample({leaf, caller}, {5});
  EXPECT_EQ(Report().unsymbolized_samples, 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, ProfileSymbolsTest,
                         testing::Values("pprof", "folded"),
                         [](const auto& format) {
                           return std::string(format.param);
                         });

}  // namespace
}  // namespace perf2x
