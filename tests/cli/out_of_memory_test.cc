// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/out_of_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdio>
#include <thread>

#include "converter/base/early_exit_cleanup.h"

namespace perf2x {
namespace {

constexpr rlim_t kAll = rlim_t{1} << 30;

// Whether a limit of memory holds: emulators of other machines have none, and
// this test would take all memory there is.
bool IsMemoryLimited() {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit limit = {kAll, before.rlim_max};
  setrlimit(RLIMIT_AS, &limit);
  constexpr size_t kTooMuch = kAll + 1;
  void* const taken = mmap(nullptr, kTooMuch, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (taken != MAP_FAILED) munmap(taken, kTooMuch);
  setrlimit(RLIMIT_AS, &before);
  return taken == MAP_FAILED;
}

// Takes memory until there is no more.
void Exhaust() {
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
  if (!IsMemoryLimited()) GTEST_SKIP() << "RLIMIT_AS does not hold here";
  constexpr char kLine[] = "^undone\nperf2x: out of memory; [^\n]*\n$";
  EXPECT_EXIT(RunOut(false), testing::ExitedWithCode(1), kLine);
  EXPECT_EXIT(RunOut(true), testing::ExitedWithCode(1), kLine);
}

}  // namespace
}  // namespace perf2x
