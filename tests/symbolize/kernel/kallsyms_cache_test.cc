// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kallsyms_cache.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

class KallsymsCacheTest : public testing::Test {
 protected:
  KallsymsCache::Table Parse(const std::string& path) {
    auto file = SafeFile::Open(FilePlace(path));
    EXPECT_TRUE(file.ok());
    auto table = cache_.Parse(*std::move(file));
    return table.ok() ? *table : nullptr;
  }
  std::string Write(const std::string& name, const std::string& function) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << "ffffffff81000000 T " << function << "\n";
    return path;
  }

  TempFolder folder_;
  KallsymsCache cache_;
};

TEST_F(KallsymsCacheTest, ParsesAFileOnce) {
  const std::string a = Write("a", "schedule"), b = Write("b", "schedule");
  const KallsymsCache::Table table = Parse(a);
  ASSERT_NE(table, nullptr);
  EXPECT_NE(table->AddressOf("schedule"), 0u);
  EXPECT_EQ(Parse(a), table);
  EXPECT_NE(Parse(b), table);
  EXPECT_EQ(Parse(a), table);
}

TEST_F(KallsymsCacheTest, AChangedFileIsAnother) {
  const std::string path = Write("a", "schedule");
  const KallsymsCache::Table table = Parse(path);
  Write("a", "do_exit_now");
  const KallsymsCache::Table changed = Parse(path);
  ASSERT_NE(changed, nullptr);
  EXPECT_EQ(changed->AddressOf("schedule"), 0u);
  EXPECT_NE(changed->AddressOf("do_exit_now"), 0u);
}

// A folder of recordings may bring a table each.
TEST_F(KallsymsCacheTest, KeepsFewThatNoOneUses) {
  std::weak_ptr<const Kallsyms> first = Parse(Write("0", "f"));
  EXPECT_FALSE(first.expired());
  for (int i = 1; i < 5; ++i) Parse(Write(std::to_string(i), "f"));
  EXPECT_TRUE(first.expired());
}

TEST_F(KallsymsCacheTest, WhatIsNoTableFailsEachTime) {
  const std::string path = folder_.path() + "/none";
  std::ofstream(path) << "no symbols\n";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Parse(path), nullptr);
}

}  // namespace
}  // namespace perf2x
