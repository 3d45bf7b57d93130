// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/machine_name.h"

#include <elf.h>
#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(MachineNameTest, WhatUnameSaidStays) {
  for (const char* name : {"x86_64", "i686", "aarch64", "armv7l", "s390x",
                           "ppc64le", "riscv64", "a machine of its own"}) {
    EXPECT_EQ(MachineName(name, std::nullopt), name);
    // E_MACHINE is of the first thread: here of a 32-bit one.
    EXPECT_EQ(MachineName(name, EM_386), name);
  }
}

TEST(MachineNameTest, PerfsOwnSpellingBecomesThatOfUname) {
  EXPECT_EQ(MachineName("x86", EM_X86_64), "x86_64");
  EXPECT_EQ(MachineName("x86", EM_386), "i686");
  EXPECT_EQ(MachineName("x86", std::nullopt), "x86_64");
  EXPECT_EQ(MachineName("x86", EM_NONE), "x86_64");
  EXPECT_EQ(MachineName("arm64", EM_AARCH64), "aarch64");
  EXPECT_EQ(MachineName("arm64", EM_ARM), "aarch64");
  EXPECT_EQ(MachineName("s390", EM_S390), "s390x");
  EXPECT_EQ(MachineName("powerpc", EM_PPC), "ppc");
}

TEST(MachineNameTest, WithoutArchTheNumberServes) {
  EXPECT_EQ(MachineName("", EM_AARCH64), "aarch64");
  EXPECT_EQ(MachineName("unknown", EM_S390), "s390x");
  EXPECT_EQ(MachineName("none", EM_NONE), "");
  EXPECT_EQ(MachineName("", std::nullopt), "");
  EXPECT_EQ(MachineName("", 0xffff), "");
}

}  // namespace
}  // namespace perf2x
