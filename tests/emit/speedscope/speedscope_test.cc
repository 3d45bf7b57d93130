// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "converter/emit/emitters.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class SpeedscopeTest : public SmallTrace {};

// The profiles of the output.
std::string Profiles(const std::string& json) {
  return json.substr(json.find("\"profiles\":"));
}

TEST_F(SpeedscopeTest, WritesAProfileForEachThreadAndEvent) {
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  const EventId faults = AddEvent("page-faults");
  const ThreadId main = AddThread(1, 1, "app", "app");
  const ThreadId other = AddThread(1, 2, "app", "other");
  info_.input = "perf.data";
  ASSERT_TRUE(Begin(SpeedscopeEmitterInfo()).ok());
  const StackId sort = Stack({"memcpy", "sort", "main"});
  Add(clock, main, sort, 1000);
  Add(clock, main, sort, 500);
  Add(clock, other, Stack({"?"}), 1000);
  Add(clock, main, Stack({"main"}), 1000);
  Add(clock, main, sort, 1000);
  Add(faults, main, Stack({"sys_read", "main"}), 1);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(
      output(),
      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
      "\"name\":\"perf.data\",\"exporter\":\"perf2x " PERF2X_VERSION
      "\",\"shared\":{\"frames\":["
      "{\"name\":\"main\",\"file\":\"app.cc\",\"line\":5},"
      "{\"name\":\"sort(int*)\",\"file\":\"sort.h\",\"line\":20},"
      "{\"name\":\"memcpy\",\"file\":\"/opt/lib.so\"},"
      "{\"name\":\"[lib.so]\",\"file\":\"/opt/lib.so\"},"
      "{\"name\":\"sys_read\",\"file\":\"[kernel.kallsyms]\"}]},"
      "\"profiles\":["
      "{\"type\":\"sampled\",\"name\":\"app 1 cpu-clock\","
      "\"unit\":\"nanoseconds\",\"samples\":[[0,0,1,2],[0],[0,0,1,2]],"
      "\"weights\":[1500,1000,1000],\"startValue\":0,\"endValue\":3500},"
      "{\"type\":\"sampled\",\"name\":\"other 2 cpu-clock\","
      "\"unit\":\"nanoseconds\",\"samples\":[[3]],"
      "\"weights\":[1000],\"startValue\":0,\"endValue\":1000},"
      "{\"type\":\"sampled\",\"name\":\"app 1 page-faults\","
      "\"unit\":\"none\",\"samples\":[[0,4]],"
      "\"weights\":[1],\"startValue\":0,\"endValue\":1}],"
      "\"activeProfileIndex\":0}");
}

TEST_F(SpeedscopeTest, ARenamedThreadHasItsLastName) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId before = AddThread(1, 1, "sh", "sh");
  ASSERT_TRUE(Begin(SpeedscopeEmitterInfo()).ok());
  Add(cycles, before, Stack({"main"}), 5);
  const ThreadId after = AddThread(1, 1, "app", "app");
  Add(cycles, after, Stack({"sys_read"}), 6);
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(Profiles(output()), HasSubstr("\"name\":\"app 1 cycles\""));
  EXPECT_THAT(Profiles(output()), HasSubstr("\"weights\":[5,6]"));
}

TEST_F(SpeedscopeTest, LargePeriodsDoNotOverflow) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(SpeedscopeEmitterInfo()).ok());
  const StackId stack = Stack({"main"});
  Add(cycles, main, stack, ~uint64_t{0});
  Add(cycles, main, stack, ~uint64_t{0});
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(Profiles(output()),
              HasSubstr("\"weights\":[18446744073709553000.0,"
                        "18446744073709553000.0]"));
}

TEST_F(SpeedscopeTest, NoSamplesGiveNoProfiles) {
  AddEvent("cycles");
  ASSERT_TRUE(Begin(SpeedscopeEmitterInfo()).ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(Profiles(output()), "\"profiles\":[],\"activeProfileIndex\":0}");
}

TEST_F(SpeedscopeTest, LeavesOutSamplesOnceTheBudgetIsExhausted) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  Budget& budget = Limit();
  ASSERT_TRUE(Begin(SpeedscopeEmitterInfo()).ok());
  const StackId stack = Stack({"main"});
  Add(cycles, main, stack, 7);
  budget.Spend(Budget::kMemory, uint64_t{1} << 40);
  Add(cycles, main, stack, 8);
  ASSERT_TRUE(Finish().ok());
  std::vector<std::string> names;
  for (const auto& [what, entry] : diagnostics_.entries()) {
    names.push_back(what);
  }
  EXPECT_THAT(names, Contains(HasSubstr("sample of the profile")));
}

TEST_F(SpeedscopeTest, StacksThatFitAreWritten) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  Budget& budget = Limit({{{8 << 20, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  ASSERT_TRUE(Begin(SpeedscopeEmitterInfo()).ok());
  std::vector<std::string> frames(10'001, "main");
  constexpr uint64_t kStacks = 200;
  for (uint64_t i = 0; i < kStacks; ++i) {
    frames.back() = "root" + std::to_string(i);
    AddFrame(frames.back(), lib_, i);
    Add(cycles, main, Stack(frames), 7);
  }
  budget.ReleaseReserve();
  ASSERT_TRUE(Finish().ok());
  EXPECT_TRUE(absl::StrContains(output(), "\"frames\":[{\"name\":\"main\""));
  EXPECT_THAT(Profiles(output()).substr(0, 120),
              ContainsRegex("\"samples\":\\[\\[[0-9]+,0,0,0,"));
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  const auto& [what, entry] = *diagnostics_.entries().begin();
  EXPECT_THAT(what, HasSubstr("stack left out"));
  EXPECT_LT(entry.count, 180u);
}

// A profile may have thousands of functions with one name of a megabyte.
TEST_F(SpeedscopeTest, WritesNoNamesOnceTheBudgetIsExhausted) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  Budget& budget = Limit();
  ASSERT_TRUE(Begin(SpeedscopeEmitterInfo()).ok());
  Add(cycles, main, Stack({"main"}), 7);
  budget.Spend(Budget::kOutput, uint64_t{1} << 40);
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(output(), HasSubstr("\"frames\":[]"));
  EXPECT_EQ(Profiles(output()), "\"profiles\":[],\"activeProfileIndex\":0}");
  std::vector<std::string> names;
  for (const auto& [what, entry] : diagnostics_.entries()) {
    names.push_back(what);
  }
  EXPECT_THAT(names, Contains(HasSubstr("function of the profile")));
  EXPECT_THAT(names, Contains(HasSubstr("entry of a profile")));
}

}  // namespace
}  // namespace perf2x
