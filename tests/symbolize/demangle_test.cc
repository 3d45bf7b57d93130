// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/demangle.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

std::string Simple(absl::string_view s) {
  return DemangleSymbol(s, Demangle::kSimple);
}

TEST(DemangleTest, SimpleNamesHaveNoParameters) {
  EXPECT_EQ(Simple("_ZN4demo10sort_phaseERSt6vectorIiSaIiEERj"),
            "demo::sort_phase");
  EXPECT_EQ(DemangleSymbol("_ZN4demo3fibEj", Demangle::kFull),
            "demo::fib(unsigned int)");
  EXPECT_EQ(DemangleSymbol("_ZN4demo3fibEj", Demangle::kNone),
            "_ZN4demo3fibEj");
}

TEST(DemangleTest, LeavesOtherNamesAlone) {
  for (const char* name : {"main", "_start", "_Zebra", "_Done", "memcpy@@V_1",
                           "runtime.gcBgMarkWorker", "", "_ZN", "@plt"}) {
    EXPECT_EQ(Simple(name), name);
  }
}

TEST(DemangleTest, RustBothManglingsLoseTheirHash) {
  EXPECT_EQ(Simple("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
            "core::fmt::Write::write_fmt");
  EXPECT_EQ(Simple("_RNvCs1234_7mycrate4main"), "mycrate::main");
}

TEST(DemangleTest, D) { EXPECT_EQ(Simple("_D4test3fooFZv"), "test.foo"); }

TEST(DemangleTest, NamesInDThatReferBack) {
  EXPECT_EQ(DemangleSymbol("_D4test3fooFAaQcZv", Demangle::kFull),
            "test.foo(char[], char[])");
  // Each pair of references stands for twice as much as the one before.
  std::string bomb = "_D4test3fooFHii";
  for (int i = 0; i < 30; ++i) bomb += i == 0 ? "HQdQf" : "HQfQh";
  bomb += "Zv";
  EXPECT_EQ(Simple(bomb), bomb);
}

TEST(DemangleTest, PltEntriesKeepTheirMark) {
  EXPECT_EQ(Simple("_Znwm@plt"), "operator new@plt");
  EXPECT_EQ(Simple("memcpy@plt"), "memcpy@plt");
}

TEST(DemangleTest, GivesUpOnNamesThatGrowWithoutBound) {
  // Each template argument holds the one before it twice.
  std::string name = "_Z1fI1AIiiE";
  for (int i = 0; i < 30; ++i) {
    std::string ref = "S";
    if (i > 0) ref += std::string(1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
    ref += "_";
    name += "S_I" + ref + ref + "E";
  }
  name += "Evv";
  EXPECT_LE(Simple(name).size(), 1u << 20);
}

TEST(DemangleTest, GivesUpOnLongNames) {
  const std::string name = "_Z70000" + std::string(70000, 'a') + "v";
  EXPECT_EQ(Simple(name), name);
}

TEST(DemangleTest, GivesUpOnNamesThatBindLifetimesWithoutEnd) {
  EXPECT_EQ(Simple("_RIC4demoFG_RL0_hEuE"), "demo::<for<'a> fn(&'a u8)>");
  // In the path of an impl, which is not shown.
  const std::string name = "_RNvXC4demoFGzzzzzzzz_EuEhC5traitE4name";
  EXPECT_EQ(Simple(name), name);
}

// Each parameter with arguments in a conversion operator's type is parsed
// twice.
TEST(DemangleTest, GivesUpOnConversionsThatDouble) {
  EXPECT_EQ(Simple("_ZN1AcvT_IiEIS_EEv"), "A::operator A<int><A>");
  std::string bomb = "_ZN1Acv";
  for (int i = 0; i < 40; ++i) bomb += "T_I";
  bomb += "i" + std::string(40, 'E') + "Ev";
  EXPECT_EQ(Simple(bomb), bomb);
  // What costs more counts as more.
  const auto work = [](const std::string& symbol) {
    Budget budget;
    DemangleSymbol(symbol, Demangle::kSimple, budget);
    return budget.used(Budget::kWork);
  };
  EXPECT_GE(work("_ZN1AcvT_IT_IT_IT_IiEEEEEv"), 16 * 26 / 2u);
}

// Before an expansion is printed, all types in it are searched for packs.
TEST(DemangleTest, GivesUpOnPacksOfTypesThatDouble) {
  EXPECT_EQ(DemangleSymbol("_ZN1AIiE3addIJS0_iEEEvDpRKSt4pairIT_S0_E",
                           Demangle::kFull),
            "void A<int>::add<A<int>, int>(std::pair<A<int>, A<int> > const&, "
            "std::pair<int, A<int> > const&)");
  constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string bomb = "_Z1fIDp1AI";
  for (int i = 0; i < 33; ++i) bomb += "S_I";
  bomb += "iiE";
  for (int i = 0; i < 33; ++i) bomb += std::string("S") + kDigits[i] + "_E";
  bomb += "Evv";
  EXPECT_EQ(Simple(bomb), bomb);
}

TEST(DemangleTest, ChargesNamesThatAreNotDemangled) {
  Budget budget;
  DemangleSymbol("_ZN" + std::string(1000, '9'), Demangle::kSimple, budget);
  EXPECT_GE(budget.used(Budget::kWork), 500u);
}

// Thousands of small budgets may each pay for one name.
TEST(DemangleTest, NamesAreNotLongerThanTheBudgetPaysFor) {
  std::string bomb = "_Z1f1a1bIS_S_E";
  for (const char* type : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    bomb += absl::StrCat("S0_IS", type, "_S", type, "_E");
  }
  const auto size = [&](uint64_t memory, uint64_t steps) {
    Budget budget({{{memory, 0}, {steps, 0}, {0, 0}}});
    return DemangleSymbol(bomb, Demangle::kFull, budget).size();
  };
  EXPECT_GT(size(1 << 20, 1 << 16), 1000u);
  EXPECT_EQ(size(1 << 20, 400), bomb.size());
  EXPECT_EQ(size(2000, 1 << 16), bomb.size());
}

TEST(DemangleTest, DeepNestingIsSurvived) {
  for (const char* part : {"P", "F", "N", "I", "Q", "A", "H"}) {
    for (const char* start : {"_Z1f", "_D1f", "_R", "_ZN"}) {
      std::string name = start;
      while (name.size() < 60000) name += part;
      Simple(name);
    }
  }
}

}  // namespace
}  // namespace perf2x
