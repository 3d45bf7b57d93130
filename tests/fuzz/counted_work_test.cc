// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/counted_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

namespace {
std::atomic<uint64_t> allocations{0}, allocated{0};
}  // namespace

#if !defined(PERF2X_SANITIZED)
// Replaces the standard library's in the whole test program. Not inlined:
// otherwise gcc sees malloc paired with delete and warns.
[[gnu::noinline]] void* operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated.fetch_add(size, std::memory_order_relaxed);
  void* const p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept {
  std::free(p);
}
#endif

namespace perf2x {

WorkCount CountWork(absl::FunctionRef<void()> run) {
  const WorkCount before{allocations, allocated};
  run();
  return {allocations - before.allocations, allocated - before.allocated};
}

namespace {

TEST(CountWorkTest, CountsAllocations) {
#if defined(PERF2X_SANITIZED)
  GTEST_SKIP() << "sanitizers bring their own operator new";
#endif
  std::string kept;
  const WorkCount work = CountWork([&] { kept.assign(1000, 'x'); });
  EXPECT_EQ(work.allocations, 1u);
  EXPECT_GE(work.allocated, 1000u);
  EXPECT_LT(work.allocated, 1100u);
}

}  // namespace
}  // namespace perf2x
