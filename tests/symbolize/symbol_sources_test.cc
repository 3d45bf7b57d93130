// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/symbol_sources.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace perf2x {
namespace {

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

}  // namespace
}  // namespace perf2x
