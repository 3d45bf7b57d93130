// SPDX-License-Identifier: Apache-2.0
#include "converter/session/kernel_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/kernel_core.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

// A machine that has no files but the copy of the kernel's memory.
class CoreOnly final : public HostEnvironment {
 public:
  explicit CoreOnly(std::string core) : core_(std::move(core)) {}
  Symbolizer* MakeSymbolizer(const HeaderFeatures&) override { return nullptr; }
  Symbolizer* MakeSymbolizerWithoutLines(const HeaderFeatures&) override {
    return nullptr;
  }
  std::unique_ptr<UnwindInfoSource> MakeUnwindInfoSource(
      const HeaderFeatures&) override {
    return nullptr;
  }
  std::shared_ptr<const ElfFile> OpenKernelMemory() override {
    return core_.empty() ? nullptr : OpenElf(core_);
  }
  std::unique_ptr<JitDump> OpenJitDump(absl::string_view, int32_t,
                                       const HeaderFeatures&) override {
    return nullptr;
  }

 private:
  const std::string core_;
};

constexpr uint64_t kKernel = 0xffffffff81000000, kModule = 0xffffffffc0000000;

std::string TextOf(const CodeBytes& code) {
  return std::string(code.bytes.begin(), code.bytes.end());
}

TEST(KernelMemoryTest, SegmentsInAnyOrder) {
  CoreOnly environment(KernelCore({{kModule, "module"}, {kKernel, "kernel"}}));
  KernelMemory memory(environment);
  EXPECT_EQ(TextOf(memory.At(kKernel + 5)), "kernel");
  EXPECT_EQ(memory.At(kKernel + 5).start, kKernel);
  EXPECT_EQ(TextOf(memory.At(kModule)), "module");
  for (const uint64_t nowhere :
       {kKernel - 1, kKernel + 6, kModule - 1, kModule + 6, uint64_t{0}}) {
    EXPECT_EQ(TextOf(memory.At(nowhere)), "") << nowhere;
  }
}

TEST(KernelMemoryTest, ASegmentEndsWhereTheNextOneStarts) {
  CoreOnly environment(KernelCore(
      {{kKernel, "kernel"}, {kKernel + 2, "over"}, {~uint64_t{0} - 1, "end"}}));
  KernelMemory memory(environment);
  EXPECT_EQ(TextOf(memory.At(kKernel)), "ke");
  EXPECT_EQ(TextOf(memory.At(kKernel + 2)), "over");
  EXPECT_EQ(TextOf(memory.At(~uint64_t{0} - 1)), "e");
}

TEST(KernelMemoryTest, WithoutACopy) {
  CoreOnly environment("");
  KernelMemory memory(environment);
  EXPECT_EQ(TextOf(memory.At(kKernel)), "");
}

}  // namespace
}  // namespace perf2x
