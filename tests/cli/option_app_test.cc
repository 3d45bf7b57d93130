// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/option_app.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/cli/command_line.h"

namespace perf2x {
namespace {

using Words = std::vector<std::string>;

void ParseWords(const Words& words, CLI::App& app) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  app.parse(static_cast<int>(pointers.size()), pointers.data());
}

TEST(OptionAppTest, DefinesEachOptionThatIsNamed) {
  CommandLine options;
  const auto all = DefineCommandLine(&options);
  ASSERT_GT(all->get_options().size(), 50u);
  for (const CLI::Option* option : all->get_options()) {
    std::vector<Words> lines;
    for (const std::string& name : option->get_lnames()) {
      lines.push_back({"perf2x", absl::StrCat("--", name)});
      lines.push_back({"perf2x", absl::StrCat("--", name, "=1")});
    }
    for (const std::string& name : option->get_snames()) {
      lines.push_back({"perf2x", absl::StrCat("-", name, "1")});
      lines.push_back({"perf2x", absl::StrCat("-z", name)});
    }
    for (const Words& words : lines) {
      CommandLine of_words;
      const auto app = DefineCommandLine(&of_words, &words);
      const CLI::Option* found = app->get_option_no_throw(
          option->get_lnames().empty()
              ? absl::StrCat("-", option->get_snames()[0])
              : absl::StrCat("--", option->get_lnames()[0]));
      ASSERT_NE(found, nullptr) << words[1];
      EXPECT_EQ(found->get_group(), option->get_group()) << words[1];
      EXPECT_LT(app->get_options().size(), 12u) << words[1];
    }
  }
}

TEST(OptionAppTest, DefinesCommandsThatAreNamed) {
  CommandLine options;
  const Words words = {"perf2x", "diff", "a", "b"};
  const auto app = DefineCommandLine(&options, &words);
  EXPECT_NE(app->get_subcommand("diff"), nullptr);
  EXPECT_THROW((void)app->get_subcommand("info"), CLI::OptionNotFound);
  ParseWords(words, *app);
  EXPECT_EQ(options.command, CommandLine::Command::kDiff);
  EXPECT_EQ(options.diff.base, (Words{"a", "b"}));
}

TEST(OptionAppTest, ParsesAsIfAllWereDefined) {
  const Words words = {"perf2x",  "-qv",        "--to=csv", "--max-stack",
                       "5",       "--no-lines", "--table",  "stat",
                       "-ox.csv", "a.data",     "--",       "--merge"};
  CommandLine some, all;
  const auto narrow = DefineCommandLine(&some, &words);
  const auto whole = DefineCommandLine(&all);
  EXPECT_LT(narrow->get_options().size(), whole->get_options().size() / 3);
  for (auto [app, options] :
       {std::pair{narrow.get(), &some}, std::pair{whole.get(), &all}}) {
    ParseWords(words, *app);
    EXPECT_TRUE(options->quiet && options->verbose);
    EXPECT_EQ(options->format, "csv");
    EXPECT_EQ(options->output, "x.csv");
    EXPECT_EQ(options->convert.filter.max_stack, 5u);
    EXPECT_FALSE(options->convert.symbols.lines);
    EXPECT_EQ(options->convert.emitter_options["table"], "stat");
    EXPECT_EQ(options->inputs, (Words{"a.data", "--merge"}));
    EXPECT_FALSE(options->merge);
  }
}

TEST(OptionAppTest, OptionsExcludeEachOtherAsIfAllWereDefined) {
  const Words words = {"perf2x", "--no-lines", "--untrusted", "a.data"};
  CommandLine some, all;
  EXPECT_THROW(ParseWords(words, *DefineCommandLine(&some, &words)),
               CLI::ExcludesError);
  EXPECT_THROW(ParseWords(words, *DefineCommandLine(&all)), CLI::ExcludesError);
}

TEST(OptionAppTest, DoesNotKnowWhatNoneIsCalled) {
  CommandLine options;
  const Words words = {"perf2x", "--merged"};
  const auto app = DefineCommandLine(&options, &words);
  EXPECT_EQ(app->get_option_no_throw("--merge"), nullptr);
  EXPECT_EQ(app->get_option_no_throw("--unused"), nullptr);
  EXPECT_THROW(ParseWords(words, *app), CLI::ExtrasError);
}

}  // namespace
}  // namespace perf2x
