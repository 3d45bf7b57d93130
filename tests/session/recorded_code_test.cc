// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recorded_code.h"

#include "converter/base/truncate_name.h"
#include "converter/perf/records/simpleperf_records.h"
#include "converter/symbolize/recorded_symbols.h"
#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

class RecordedCodeTest : public TrackerTest {};

TEST_F(RecordedCodeTest, LongNamesAreTruncated) {
  FakeEnvironment environment;
  RecordedSymbols symbols;
  environment.symbols = &symbols;
  Budget budget;
  budget.AddInput(uint64_t{1'000'000});
  Diagnostics diagnostics;
  RecordedCode code(environment, budget, diagnostics);
  SimpleperfDsoRecord file;
  file.dso_type = 3;  // an ELF file
  file.dso_name = "/f";
  code.Observe(Encoded(file, EventAttr()));
  const std::string name(100'000, 'n');
  SimpleperfSymbolRecord function;
  function.addr = 0x10;
  function.len = 0x10;
  function.name = absl::string_view(name).substr(0, 60'000);
  code.Observe(Encoded(function, EventAttr()));
  Dso dso;
  dso.kind = DsoKind::kFile;
  dso.name = "/f";
  const uint64_t address = 0x10;
  size_t size = 0;
  symbols.Find(dso, {&address, 1},
               [&](size_t, absl::string_view found) { size = found.size(); });
  EXPECT_EQ(size, kMaxRecordedSymbolSize);
  EXPECT_EQ(diagnostics.entries().count("name truncated"), 1u);
}

}  // namespace
}  // namespace perf2x
