// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/symbol_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace perf2x {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

// The table in docs/symbols.md whose first column is "source".
std::vector<std::string> DocumentedSources() {
  std::ifstream page("docs/symbols.md");
  std::vector<std::string> names;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    static const std::regex kRow("^\\| `?([^|`]+?)`? \\| .*");
    std::smatch match;
    if (!std::regex_match(line, match, kRow)) {
      in_table = false;
    } else if (match[1] == "source") {
      in_table = true;
    } else if (in_table && match[1] != "---") {
      names.push_back(match[1]);
    }
  }
  return names;
}

TEST(SymbolSourcesTest, DocumentedInTheirOrder) {
  std::vector<std::string> names;
  for (const SymbolSourceEntry& entry : SymbolSourceList()) {
    names.emplace_back(entry.name);
  }
  EXPECT_EQ(DocumentedSources(), names);
}

TEST(SymbolSourcesTest, EveryEntryMakesOneSource) {
  const FileRoots roots{BinaryFinderOptions()};
  const SymbolizeOptions options;
  const BinaryFinder finder(options.binaries);
  WorkerPool workers(1);
  for (const SymbolSourceEntry& entry : SymbolSourceList()) {
    ASSERT_NE(entry.make == nullptr, entry.make_file_source == nullptr)
        << entry.name;
    const auto source = entry.make != nullptr
                            ? entry.make({options, finder, workers})
                            : entry.make_file_source(roots);
    ASSERT_NE(source, nullptr);
    // A source that is not for a kind of DSO leaves it to the others.
    DsoReport report;
    Dso marker;
    marker.kind = DsoKind::kMarker;
    EXPECT_EQ(source->Open(marker, &report), nullptr) << entry.name;
    EXPECT_TRUE(report.tried.empty()) << entry.name;
  }
}

// The sandbox allows no other places with --symfs.
TEST(SymbolSourcesTest, SayWhereTheyReadFiles) {
  setenv("HOME", "/home/me", 1);
  SymbolizeOptions options;
  std::vector<std::string> places;
  const auto find = [&] {
    places.clear();
    for (const SymbolSourceEntry& entry : SymbolSourceList()) {
      if (entry.add_places != nullptr) entry.add_places(options, &places);
    }
  };
  find();
  EXPECT_THAT(places, UnorderedElementsAre(
                          "/tmp", "/boot", "/lib/modules", "/usr/lib/debug",
                          "/proc/kallsyms", "/sys/kernel/notes",
                          "/home/me/.debug", "/usr/lib/debug"));
  options.binaries.symfs = "symfs";
  options.binaries.symfs_of[7] = "symfs of 7";
  options.binaries.debug_dirs.push_back("debug");
  options.binaries.buildid_dir = "cache";
  options.binaries.archive = "archive";
  options.kallsyms = "kallsyms";
  options.guest_kallsyms = "guest-kallsyms";
  options.vmlinux = "vmlinux";
  options.perf_map_dirs = {"maps"};
  find();
  EXPECT_THAT(places,
              IsSupersetOf({"symfs", "symfs of 7", "debug", "cache", "archive",
                            "kallsyms", "guest-kallsyms", "vmlinux", "maps"}));
  EXPECT_THAT(places, Not(Contains("/home/me/.debug")));
}

}  // namespace
}  // namespace perf2x
