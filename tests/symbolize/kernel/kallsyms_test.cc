// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kallsyms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

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

// A kernel's table of `functions`, some of them with several names or of other
// types, and of two modules, the second of which lies before the first.
std::string LargeTable(size_t functions) {
  std::string text;
  uint64_t address = 0xffffffff81000000;
  for (size_t i = 0; i < functions; ++i) {
    for (size_t alias = 0; alias <= (i % 7 == 0 ? i % 4 : 0); ++alias) {
      absl::StrAppend(&text, absl::Hex(address, absl::kZeroPad16), " ",
                      i % 11 == 3   ? "r"
                      : i % 13 == 5 ? "W"
                      : alias == 1  ? "T"
                                    : "t",
                      " function_", i, "_", alias, "\n");
    }
    address += i % 5 == 0 ? 1 : 16 * (i % 9 + 1);
  }
  for (const char* line :
       {"ffffffffc0800000 t init\t[b]", "ffffffffc0800040 t exit\t[b]",
        "ffffffffc0000000 t init\t[a]"}) {
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

// Returns the names at `addresses`, of parts of the table if there are few.
std::vector<std::string> NamesAt(const Kallsyms& table,
                                 const std::vector<uint64_t>& addresses,
                                 size_t* symbols) {
  SymbolIndex part;
  const SymbolIndex& index = table.IndexFor(addresses, /*delta=*/0, &part);
  *symbols = index.size();
  SymbolIndex::Cursor cursor;
  std::vector<std::string> names;
  for (const uint64_t address : addresses) {
    const SymbolIndex::Entry* e = index.Find(address, &cursor);
    names.push_back(e == nullptr ? "" : std::string(e->view()));
  }
  return names;
}

TEST(KallsymsTest, ReadsPartsOfALargeTableForFewAddresses) {
  const std::string text = LargeTable(6000);
  const auto whole = Parse(text);
  ASSERT_TRUE(whole.ok());
  const SymbolIndex& all = (*whole)->index();
  ASSERT_GT(all.size(), 5000u);
  uint64_t random = 1;
  for (int round = 0; round < 50; ++round) {
    std::vector<uint64_t> addresses;
    for (int i = 0; i < 20; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;
      const size_t at = (random >> 33) % (all.size() - 10);
      addresses.push_back(all.entries()[at].start + i % 4 - 1);
    }
    addresses.push_back(addresses[3]);
    addresses.push_back(addresses[4] + 1);
    // The very first symbol, which begins with the table.
    if (round == 0) addresses.push_back(0xffffffff81000000);
    std::erase_if(addresses, [](auto a) { return a < 0xffffffff81000000; });
    const auto table = Parse(text);
    size_t read = 0, of_all = 0;
    const auto names = NamesAt(**table, addresses, &read);
    EXPECT_LT(read, 1000u);
    EXPECT_EQ(names, NamesAt(**whole, addresses, &of_all));
    EXPECT_EQ(of_all, all.size());
  }
}

TEST(KallsymsTest, ReadsTheWholeTableForOtherAddresses) {
  const std::string text = LargeTable(6000);
  size_t symbols = 0;
  for (const uint64_t address :
       {uint64_t{0xffffffffc0800001}, uint64_t{0xffffffffc0000001},
        uint64_t{0xffffffff80ffffff}, uint64_t{0xffffffff8fffffff}, uint64_t{0},
        ~uint64_t{0}}) {
    NamesAt(**Parse(text), {0xffffffff81000100, address}, &symbols);
    EXPECT_GT(symbols, 5000u) << std::hex << address;
  }
  EXPECT_EQ(NamesAt(**Parse(text), {0xffffffffc0000001}, &symbols)[0],
            "init\t[a]");
  // Many addresses, at once or one after the other.
  const auto table = Parse(text);
  for (int i = 0; i < 1000; ++i) {
    NamesAt(**table, {0xffffffff81000100}, &symbols);
  }
  EXPECT_GT(symbols, 5000u);
}

TEST(KallsymsTest, ReadsTheWholeOfATableThatIsNotInOrder) {
  const std::string text = LargeTable(6000);
  std::vector<absl::string_view> lines =
      absl::StrSplit(text, '\n', absl::SkipEmpty());
  std::reverse(lines.begin(), lines.end());
  const uint64_t address = 0xffffffff81000100;
  size_t symbols = 0;
  const auto names = NamesAt(**Parse(text), {address}, &symbols);
  EXPECT_LT(symbols, 1000u);
  EXPECT_EQ(NamesAt(**Parse(absl::StrJoin(lines, "\n")), {address}, &symbols),
            names);
  EXPECT_GT(symbols, 5000u);
  for (const std::string& garbage :
       {std::string(100000, 'x'), std::string("no line of kallsyms"),
        std::string(100000, '\n')}) {
    EXPECT_EQ(
        NamesAt(**Parse(absl::StrCat(text, garbage)), {address}, &symbols),
        names);
  }
}

TEST(KallsymsTest, FindsSymbolsByNameInALargeTable) {
  const std::string text = LargeTable(6000);
  const auto wanted = [](absl::string_view name) {
    return absl::StartsWith(name, "function_28");
  };
  const auto whole = Parse(text);
  const auto table = Parse(text);
  const auto found = [&](const SymbolIndex& index) {
    std::vector<std::string> symbols;
    for (const SymbolIndex::Entry& e : index.entries()) {
      if (wanted(e.view())) {
        symbols.push_back(absl::StrCat(e.view(), " ", e.start, " ", e.end));
      }
    }
    return symbols;
  };
  SymbolIndex part;
  const SymbolIndex& index = (*table)->IndexFor(wanted, &part);
  EXPECT_LT(index.size(), 1000u);
  EXPECT_EQ(found(index), found((*whole)->index()));
  EXPECT_GT(found(index).size(), 100u);
  // Those of modules are not in order.
  SymbolIndex other;
  EXPECT_GT(
      (*table)
          ->IndexFor([](absl::string_view name) { return name[0] == 'i'; },
                     &other)
          .size(),
      5000u);
}

TEST(KallsymsTest, FindsTheReferenceSymbolAtTheStart) {
  const std::string text = LargeTable(6000);
  EXPECT_EQ((*Parse(text))->AddressOf("function_1_0"), 0xffffffff81000001);
  const auto table = Parse(text);
  const uint64_t last = (*table)->AddressOf("function_5997_0");
  EXPECT_GT(last, 0xffffffff81000001);
  EXPECT_EQ(NameAt(**table, last), "function_5997_0");
  EXPECT_EQ((*Parse(text))->AddressOf("function_"), 0u);
}

}  // namespace
}  // namespace perf2x
