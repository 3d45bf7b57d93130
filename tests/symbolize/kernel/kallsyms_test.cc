// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kallsyms.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

absl::StatusOr<std::unique_ptr<Kallsyms>> Parse(std::string text) {
  return Kallsyms::Parse(SafeFile::FromMemory("kallsyms", std::move(text)));
}

std::string NameAt(const Kallsyms& table, uint64_t address) {
  SymbolIndex::Cursor cursor;
  const SymbolIndex::Entry* e = table.index().Find(address, &cursor);
  return e == nullptr ? "" : std::string(Kallsyms::WithoutModule(e->view()));
}

TEST(KallsymsTest, NamesCodeUpToTheNextSymbol) {
  auto table = Parse(
      "ffffffff81000000 T _text\n"
      "ffffffff81000000 T startup_64\n"
      "ffffffff81000100 t helper\n"
      "ffffffff81000180 r not_code\n"
      "ffffffff81000200 A absolute\n"
      "ffffffff81000300 T next\n"
      "ffffffffc0000000 t mod_init\t[mod]\n"
      "ffffffffc0000040 t mod_exit\t[mod]\n"
      "ffffffffc0008000 t other\t[other]");
  ASSERT_TRUE(table.ok());
  EXPECT_FALSE((*table)->is_hidden());
  EXPECT_EQ(NameAt(**table, 0xffffffff81000010), "startup_64");
  EXPECT_EQ(NameAt(**table, 0xffffffff81000190), "helper");
  EXPECT_EQ(NameAt(**table, 0xffffffff81000300), "next");
  EXPECT_EQ(NameAt(**table, 0xffffffffc000003f), "mod_init");
  // Nothing reaches over the end of the kernel or of a module.
  EXPECT_EQ(NameAt(**table, 0xffffffff81003000), "");
  EXPECT_EQ(NameAt(**table, 0xffffffffc0005000), "");
  EXPECT_EQ((*table)->AddressOf("helper"), 0xffffffff81000100);
  EXPECT_EQ((*table)->AddressOf("absent"), 0);
}

TEST(KallsymsTest, SaysWhenAddressesAreHidden) {
  auto table = Parse("0000000000000000 T _text\n0000000000000000 T next\n");
  ASSERT_TRUE(table.ok());
  EXPECT_TRUE((*table)->is_hidden());
}

TEST(KallsymsTest, RefusesWhatHasNoSymbols) {
  EXPECT_FALSE(Parse("").ok());
  EXPECT_FALSE(Parse("\n\nxyz\nffff\nffff T\nffff T \n").ok());
}

TEST(KallsymsTest, SkipsLinesThatAreNoSymbols) {
  auto table = Parse("garbage\nffffffff81000000 T _text\n T x\n0 T");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->index().size(), 1u);
}

}  // namespace
}  // namespace perf2x
