// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/function_name.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(FunctionNameTest, ClonesHaveTheNameOfTheirFunction) {
  for (const char* name :
       {"parse", "parse.part.0", "parse.cold", "parse.cold.12",
        "parse.constprop.0.isra.3", "parse.lto_priv.0.cold",
        "parse.llvm.1234567890", "parse [clone .part.0]",
        "parse [clone .constprop.1] [clone .cold]",
        "parse::h0123456789abcdef"}) {
    EXPECT_EQ(NameAcrossBuilds(name), "parse") << name;
  }
}

TEST(FunctionNameTest, ClosuresHaveNoNumbers) {
  EXPECT_EQ(NameAcrossBuilds("main.serve.func1"), "main.serve.func");
  EXPECT_EQ(NameAcrossBuilds("main.serve.func12.3.1"), "main.serve.func");
  EXPECT_EQ(NameAcrossBuilds("main.run.gowrap2"), "main.run.gowrap");
  EXPECT_EQ(NameAcrossBuilds("app::run::{closure#0}::{closure#11}"),
            "app::run::{closure}::{closure}");
  EXPECT_EQ(NameAcrossBuilds("f()::{lambda(int)#2}::operator()(int) const"),
            "f()::{lambda(int)}::operator()(int) const");
}

TEST(FunctionNameTest, OtherNamesStay) {
  for (const char* name :
       {"", ".", "f", ".part.0", "[libc.so.6]", "std::vector<int>::at", "a.b",
        "v1.2.3", "main.func", "x.5", "h0123456789abcdef", "f::hello",
        "operator#", "{#}", "{#1", "a#1", "finish_task_switch.foo", "clone"}) {
    EXPECT_EQ(NameAcrossBuilds(name), name);
  }
  EXPECT_EQ(NameAcrossBuilds("finish_task_switch.isra.0"),
            "finish_task_switch");
}

TEST(FunctionNameTest, LongNamesAreKept) {
  std::string name(4000, 'f');
  EXPECT_EQ(NameAcrossBuilds(name + ".cold"), name);
  for (int i = 0; i < 100; ++i) name += ".cold";
  EXPECT_EQ(NameAcrossBuilds(name), name);
}

}  // namespace
}  // namespace perf2x
