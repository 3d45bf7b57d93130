// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_slices.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>

#include "tests/emit/chrome/chrome_fixture.h"

namespace perf2x {
namespace {

class NoOutput final : public Output {
 public:
  absl::Status Write(absl::string_view) override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }
};

TEST_F(ChromeTest, SlicesOfAlternatingEventsTakeNoMemory) {
  NoOutput out;
  ChromeTrace trace(out, /*absolute=*/false, /*helpers=*/nullptr);
  ChromeTracks tracks(tables_, trace);
  ChromeStacks stacks(tables_, trace, pipeline_.workers(), *budget_, nullptr);
  ChromeSlices slices(stacks, tracks, trace);
  const TrackId track = tracks.TrackOf(AddThread(10, 10, "a"));
  const StackId stack = Stack({"main"});
  uint64_t time = 0;
  const auto alternate = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const absl::Span<const EntryId> entries = stacks.EntriesOf(stack);
      slices.Sample(track, entries, time += kMs, kMs, "cpu-clock");
      slices.OffCpu(track, entries, time, time + kMs, "offcpu-time");
      time += kMs;
    }
  };
  // Until each of the chunks that wait for their turn has its memory.
  alternate(60'000);
  const uint64_t counted = slices.memory();
  // Does not change with a sanitizer, which brings its own allocator.
  const size_t allocated = mallinfo2().uordblks;
  alternate(80'000);
  EXPECT_LE(mallinfo2().uordblks, allocated + (1 << 20));
  EXPECT_EQ(slices.memory(), counted);
  EXPECT_GT(counted, 0u);  // the rows
}

}  // namespace
}  // namespace perf2x
