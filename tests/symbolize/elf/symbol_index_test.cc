// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/symbol_index.h"

#include <elf.h>
#include <gtest/gtest.h>

namespace perf2x {
namespace {

std::string NameAt(const SymbolIndex& index, uint64_t address) {
  SymbolIndex::Cursor cursor;
  const SymbolIndex::Entry* e = index.Find(address, &cursor);
  return e == nullptr ? "" : std::string(e->view());
}

TEST(SymbolIndexTest, EndsSymbolsWhereTheirSizeSays) {
  SymbolIndex index;
  index.Add(0x200, 0x10, "b", STT_FUNC, STB_GLOBAL);
  index.Add(0x100, 0x10, "a", STT_FUNC, STB_GLOBAL);
  index.Finish();
  EXPECT_EQ(NameAt(index, 0xff), "");
  EXPECT_EQ(NameAt(index, 0x100), "a");
  EXPECT_EQ(NameAt(index, 0x10f), "a");
  EXPECT_EQ(NameAt(index, 0x110), "");
  EXPECT_EQ(NameAt(index, 0x20f), "b");
  EXPECT_EQ(NameAt(index, 0x210), "");
}

TEST(SymbolIndexTest, SymbolOfSizeZeroReachesToTheNextOrTheEndOfAPage) {
  SymbolIndex index;
  index.Add(0x100, 0, "label", STT_NOTYPE, STB_LOCAL);
  index.Add(0x180, 0, "last", STT_FUNC, STB_GLOBAL);
  index.Finish();
  EXPECT_EQ(NameAt(index, 0x17f), "label");
  EXPECT_EQ(NameAt(index, 0x1fff), "last");
  EXPECT_EQ(NameAt(index, 0x2000), "");
}

TEST(SymbolIndexTest, OuterSymbolShowsBehindAnInnerOne) {
  SymbolIndex index;
  index.Add(0x100, 0x100, "outer", STT_FUNC, STB_GLOBAL);
  index.Add(0x120, 0x10, "inner", STT_FUNC, STB_GLOBAL);
  index.Finish();
  EXPECT_EQ(NameAt(index, 0x125), "inner");
  EXPECT_EQ(NameAt(index, 0x130), "outer");
}

// Look-ups in any order with one cursor.
TEST(SymbolIndexTest, KnowsWhatStartsAfterAnAddress) {
  SymbolIndex index;
  index.Add(0x100, 0x10, "a", STT_FUNC, STB_GLOBAL);
  index.Add(0x200, 0x10, "b", STT_FUNC, STB_GLOBAL);
  index.Add(0x210, 0x10, "c", STT_FUNC, STB_GLOBAL);
  index.Finish();
  SymbolIndex::Cursor cursor;
  for (const uint64_t address : {0x200, 0x1ff, 0x20f, 0xff, 0x20f, 0x1ff}) {
    index.Find(address, &cursor);
    EXPECT_EQ(index.StartsRightAfter(address, cursor), address != 0x200)
        << address;
  }
}

// As assemblers leave them (".L515"), and V8 in its builtins.
TEST(SymbolIndexTest, LabelWithinAFunctionDoesNotHideIt) {
  SymbolIndex index;
  index.Add(0x100, 0x100, "function", STT_FUNC, STB_LOCAL);
  index.Add(0x140, 0, "label", STT_NOTYPE, STB_GLOBAL);
  index.Add(0x180, 0, "unsized", STT_FUNC, STB_GLOBAL);
  index.Add(0x200, 0, "behind", STT_NOTYPE, STB_LOCAL);
  index.Finish();
  EXPECT_EQ(NameAt(index, 0x140), "function");
  EXPECT_EQ(NameAt(index, 0x17f), "function");
  EXPECT_EQ(NameAt(index, 0x180), "unsized");
  EXPECT_EQ(NameAt(index, 0x200), "behind");
}

// The rules of perf's choose_best_symbol(), one pair each.
TEST(SymbolIndexTest, ChoosesAmongNamesOfOneAddressAsPerfDoes) {
  struct Case {
    SymbolIndex::Entry a, b;
    const char* best;
  };
  auto entry = [](const char* name, uint64_t size, uint8_t type,
                  uint8_t binding) {
    return SymbolIndex::Entry{0x100, 0x100 + size,
                              name,  static_cast<uint32_t>(strlen(name)),
                              type,  binding};
  };
  const Case cases[] = {
      {entry("label_longer", 8, STT_NOTYPE, STB_GLOBAL),
       entry("func", 8, STT_FUNC, STB_LOCAL), "func"},
      {entry("weak_longer", 8, STT_FUNC, STB_WEAK),
       entry("local", 8, STT_FUNC, STB_LOCAL), "local"},
      {entry("local_longer", 8, STT_FUNC, STB_LOCAL),
       entry("global", 8, STT_FUNC, STB_GLOBAL), "global"},
      {entry("__underscores", 8, STT_FUNC, STB_GLOBAL),
       entry("none", 8, STT_FUNC, STB_GLOBAL), "none"},
      {entry("short", 8, STT_FUNC, STB_GLOBAL),
       entry("longer", 8, STT_FUNC, STB_GLOBAL), "longer"},
      {entry("same1", 8, STT_FUNC, STB_GLOBAL),
       entry("same2", 8, STT_FUNC, STB_GLOBAL), "same1"},
  };
  for (const Case& c : cases) {
    // The order matters only where all rules tie.
    for (bool swapped : {false, true}) {
      if (swapped && std::string(c.best) == "same1") continue;
      SymbolIndex index;
      for (const SymbolIndex::Entry& e :
           {swapped ? c.b : c.a, swapped ? c.a : c.b}) {
        index.Add(e.start, e.end - e.start, e.view(), e.type, e.binding);
      }
      index.Finish();
      EXPECT_EQ(NameAt(index, 0x104), c.best);
    }
  }
}

TEST(SymbolIndexTest, CursorDoesNotChangeAnswers) {
  SymbolIndex index;
  for (int i = 0; i < 1000; ++i) {
    index.Add(i * 16, i % 3 == 0 ? 8 : 16,
              index.StoreName("f" + std::to_string(i)), STT_FUNC, STB_GLOBAL);
  }
  index.Finish();
  SymbolIndex::Cursor cursor;
  for (uint64_t step : {1u, 7u, 1000u}) {
    for (uint64_t a = 0; a < 16000; a += step) {
      const SymbolIndex::Entry* e = index.Find(a, &cursor);
      EXPECT_EQ(e == nullptr ? "" : std::string(e->view()), NameAt(index, a));
    }
  }
}

TEST(SymbolIndexTest, SizesThatWrapAroundAreAsIfNotKnown) {
  SymbolIndex index;
  index.Add(0x100, ~uint64_t{0}, "wrapped", STT_FUNC, STB_GLOBAL);
  index.Add(0x200, 4, "next", STT_FUNC, STB_GLOBAL);
  index.Finish();
  EXPECT_EQ(NameAt(index, 0x1ff), "wrapped");
  EXPECT_EQ(NameAt(index, 0x204), "");
}

}  // namespace
}  // namespace perf2x
