// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/out_of_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <thread>

#include "converter/base/early_exit_cleanup.h"

namespace perf2x {
namespace {

// Takes memory until there is no more.
void Exhaust() {
  constexpr rlim_t kAll = rlim_t{1} << 30;
  const rlimit limit = {kAll, kAll};
  setrlimit(RLIMIT_AS, &limit);
  for ([[maybe_unused]] char* volatile taken;;) taken = new char[16 << 20];
}

// A process of its own, in which what is unfinished is undone.
void RunOut(bool on_a_thread) {
  EndWhenOutOfMemory();
  const EarlyExitCleanup unfinished([] { std::fputs("undone\n", stderr); });
  if (on_a_thread) std::thread(Exhaust).join();
  Exhaust();
}

TEST(OutOfMemoryTest, EndsTheProcessWithOneLine) {
#ifdef PERF2X_SANITIZED
  GTEST_SKIP() << "sanitizers have allocators of their own";
#endif
  constexpr char kLine[] = "^undone\nperf2x: out of memory; [^\n]*\n$";
  EXPECT_EXIT(RunOut(false), testing::ExitedWithCode(1), kLine);
  EXPECT_EXIT(RunOut(true), testing::ExitedWithCode(1), kLine);
}

}  // namespace
}  // namespace perf2x
