// SPDX-License-Identifier: Apache-2.0

// Symbolizing merged profiles: converter/profile_source/merged_symbols.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/profile_source/merged_profile.h"
#include "tests/profile_source/profile_maker.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

// Knows every even address.
class EvenAddresses final : public Symbolizer {
 public:
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override {
    std::deque<std::string> names;  // valid until this returns
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (addresses[i] % 2 != 0 || dso.build_id.empty()) continue;
      const std::string& name =
          names.emplace_back(absl::StrCat("even", addresses[i]));
      Symbol symbol;
      symbol.name = symbol.system_name = name;
      symbol.file = "even.cc";
      symbol.line = 4;
      found(i, {&symbol, 1});
    }
  }
};

std::string MergeSymbolized(const std::vector<std::string>& profiles) {
  const auto all = [](ProfileSample*) { return true; };
  MergedProfile merged(Budget::Unlimited());
  for (const std::string& bytes : profiles) {
    auto profile = ReadBytes(bytes);
    EXPECT_TRUE(merged.Add(&*profile, all).ok());
  }
  EvenAddresses files;
  TraceTables tables;
  WorkerPool workers(1);
  merged.Symbolize(
      tables, [&] { return &files; }, workers);
  std::string out;
  const auto output = MakeStringOutput(&out);
  EXPECT_TRUE(merged.Write(*output).ok());
  return out;
}

TEST(MergedSymbolsTest, SymbolizesBeforeAndAfterAlike) {
  std::vector<std::string> profiles;
  for (const uint64_t start : {0x7000, 0x3000}) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    const uint64_t lib = maker.Mapping("/lib/x.so", start, 0x1000, 0, "ab");
    std::vector<uint64_t> stack;
    for (uint64_t at = 0; at < 6; ++at) {
      stack.push_back(maker.Location(lib, start + at,
                                     at < 4 ? std::vector<std::string>{"[x.so]"}
                                            : std::vector<std::string>{"own"}));
    }
    maker.Sample(stack, {1});
    profiles.push_back(maker.Bytes());
  }
  const std::string after = MergeSymbolized(profiles);
  EXPECT_TRUE(MergeSymbolized({MergeSymbolized({profiles[0]}),
                               MergeSymbolized({profiles[1]})}) == after);
  // One of them symbolized already.
  EXPECT_TRUE(MergeSymbolized({MergeSymbolized({profiles[0]}), profiles[1]}) ==
              after);
  pb::Profile merged;
  ASSERT_TRUE(merged.ParseFromString(after));
  EXPECT_EQ(merged.sample_size(), 1);
  EXPECT_TRUE(merged.mapping(0).has_functions());
  EXPECT_TRUE(merged.mapping(0).has_line_numbers());
  std::vector<std::string> names;
  for (const pb::Function& function : merged.function()) {
    names.push_back(merged.string_table(static_cast<int>(function.name())));
  }
  EXPECT_THAT(names, ElementsAre("[x.so]", "even0", "even2", "own"));
}

}  // namespace
}  // namespace perf2x
