// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/registry.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace perf2x {
namespace {

TEST(RegistryTest, EveryFormatIsFoundByNameAndExtension) {
  for (const EmitterInfo& e : Emitters()) {
    EXPECT_EQ(FindEmitter(e.name), &e);
    EXPECT_EQ(FindEmitterByPath(std::string("out") + e.extension), &e);
    EXPECT_NE(e.make, nullptr) << e.name;
    EXPECT_STRNE(e.summary, "") << e.name;
  }
}

// Formats may share an option, but it does the same without a value. With one,
// a format may have more words.
TEST(RegistryTest, OptionsHaveOneMeaning) {
  std::map<std::string, const EmitterOption*> known;
  for (const EmitterInfo& e : Emitters()) {
    std::set<std::string> names;
    for (const EmitterOption& o : e.options) {
      EXPECT_TRUE(names.insert(o.name).second) << e.name << " --" << o.name;
      const EmitterOption& first = *known.emplace(o.name, &o).first->second;
      EXPECT_STREQ(o.default_value, first.default_value) << "--" << o.name;
    }
  }
}

// Completions offer the words of an option, and the tests over all formats try
// them.
TEST(RegistryTest, OptionsTakeTheirWordsAlone) {
  for (const EmitterInfo& e : Emitters()) {
    for (const EmitterOption& option : e.options) {
      if (!absl::StrContains(option.value, '|')) continue;
      ASSERT_NE(e.check, nullptr) << e.name;
      std::map<std::string, std::string> values;
      for (const EmitterOption& o : e.options) values[o.name] = o.default_value;
      for (const absl::string_view word : absl::StrSplit(option.value, '|')) {
        values[option.name] = std::string(word);
        EXPECT_TRUE(e.check(values).ok()) << option.name << " " << word;
      }
      values[option.name] = "other";
      EXPECT_FALSE(e.check(values).ok()) << option.name;
    }
  }
}

TEST(RegistryTest, OthersAreNotFound) {
  EXPECT_EQ(FindEmitter("gif"), nullptr);
  EXPECT_EQ(FindEmitterByPath("out.gif"), nullptr);
}

}  // namespace
}  // namespace perf2x
