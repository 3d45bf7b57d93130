// SPDX-License-Identifier: Apache-2.0

// Names that are short in a recording and long in the output.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "tests/fuzz/name_that_doubles.h"
#include "tests/support/bombs.h"
#include "tests/support/bounds.h"
#include "tests/support/format_ways.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

// Kernel symbols whose names are short in the recording and long in the output,
// thousands of times on each stack. No two stacks have a common root.
ByteVector LongNamesInLongCallchains() {
  constexpr uint64_t kSymbols = 0xffffffffc0000000;
  Recording recording = NewRecording(kUsualFields | kSampleCallchain);
  std::vector<std::string> names;
  for (int i = 0; i < 2; ++i) {
    names.push_back(NameThatDoubles(i, 14));
    KsymbolRecord symbol;
    symbol.addr = kSymbols + static_cast<uint64_t>(i) * 0x1000;
    symbol.len = 0x1000;
    symbol.ksym_type = 2;  // out of line: no code of BPF
    symbol.name = names.back();
    recording.Add(symbol, At(1));
  }
  std::vector<uint64_t> words(8000);
  words[0] = kContextKernel;
  return AsPipe(Fill(std::move(recording), [&](Recording& r, uint32_t i) {
    for (size_t w = 1; w < words.size(); ++w) {
      words[w] = kSymbols + (i >> (w % 5) & 1) * 0x1000 + 16;
    }
    SampleRecord sample = SampleAt(i * 1000, 1, words[1]);
    sample.nr = words.size();
    sample.ips = {reinterpret_cast<const uint8_t*>(words.data()), words.size(),
                  kHostOrder};
    r.Add(sample, {}, /*misc=*/1);
  }));
}

TEST(LongNameBombTest, LongNamesInLongCallchains) {
  const ByteVector bomb = LongNamesInLongCallchains();
  ASSERT_LE(bomb.size(), kBoundedInput);
  KeepBomb("LongNamesInLongCallchains", bomb);
  // Write names for each sample or stack, and leave some out.
  const std::set<std::string> writes_names = {
      "folded",
      "csv",
      "csv table=samples",
      "chrome samples=slices",
      "chrome samples=instants",
      "chrome samples=profile",
  };
  size_t seen = 0;
  for (const FormatWay& way : FormatWays()) {
    const std::string name = NameOf(way);
    SCOPED_TRACE(name);
    const Outcome outcome = ConvertWithNames(MemoryInput(bomb), way.format,
                                             way.options, /*threads=*/2);
    ExpectWithinBounds(outcome, name);
    if (writes_names.count(name) == 0) continue;
    ++seen;
    EXPECT_GT(outcome.output_bytes, 2'000'000u);
    EXPECT_NE(outcome.Complaints(), "");
  }
  EXPECT_EQ(seen, writes_names.size());
}

}  // namespace
}  // namespace perf2x
