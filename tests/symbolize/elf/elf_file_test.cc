// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <vector>

#include "converter/base/machine.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

bool HasCode(const std::vector<TestSection>& sections) {
  const auto elf = OpenElf(TestElf(*MachineOf("aarch64", 2), sections));
  EXPECT_NE(elf, nullptr);
  return elf != nullptr && elf->has_code();
}

TEST(ElfFileTest, CodeIsWhatHasBytes) {
  const TestSection table = {".plt", 0x1000, "", SHF_EXECINSTR, SHT_NOBITS};
  const TestSection code = {".text", 0x1000, "code", SHF_EXECINSTR};
  EXPECT_TRUE(HasCode({code}));
  // As modules of the kernel have it on AArch64.
  EXPECT_TRUE(HasCode({table, code}));
  // A separate debug file.
  EXPECT_FALSE(
      HasCode({table, {".text", 0x1000, "", SHF_EXECINSTR, SHT_NOBITS}}));
  // Without sections, segments tell.
  EXPECT_TRUE(HasCode({}));
}

}  // namespace
}  // namespace perf2x
