// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "converter/emit/emitters.h"
#include "converter/emit/html/sample_log.h"
#include "converter/emit/html/viewer_bundle.h"
#include "tests/support/html_page.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kTimeBin = SampleLog::kFinestBin;

class HtmlTest : public SmallTrace {
 protected:
  // Ends the trace and reads the page.
  void Read() {
    ASSERT_TRUE(Finish().ok());
    uint64_t samples = 0;
    EXPECT_EQ(CheckPage(output(), &samples), "");
    auto blocks = ReadPage(output());
    ASSERT_TRUE(blocks.ok()) << blocks.status();
    blocks_ = *std::move(blocks);
    strings_ = StringsOf(profile());
  }
  const PageBlock& profile() { return blocks_.at("perf2x-profile"); }
  const PageBlock& samples() { return blocks_.at("perf2x-samples"); }
  const rapidjson::Value& recording() { return profile().meta()["recording"]; }
  std::string NameOf(const char* column, size_t row) {
    return strings_[profile()[column][row]];
  }
  // Returns the path of a node, the innermost function first.
  std::string Path(uint64_t node) {
    std::string path;
    for (; profile()["node.up"][node] != 0;
         node -= profile()["node.up"][node]) {
      const uint64_t flags = profile()["node.flags"][node];
      absl::StrAppend(&path, path.empty() ? "" : " < ",
                      NameOf("function.name", profile()["node.function"][node]),
                      flags == 1 ? " (inlined)" : "");
    }
    return path;
  }
  // Returns "EVENT PATH: samples, period" for each sum of the tree.
  std::vector<std::string> Sums(const std::string& table = "self") {
    std::vector<std::string> sums;
    for (size_t i = 0; i < profile()[table + ".node"].size(); ++i) {
      sums.push_back(
          absl::StrCat(profile()
                           .meta()["events"][static_cast<unsigned>(
                               profile()[table + ".event"][i])]["name"]
                           .GetString(),
                       " ", Path(profile()[table + ".node"][i]), ": ",
                       profile()[table + ".samples"][i], ", ",
                       profile()[table + ".period"][i]));
    }
    return sums;
  }
  void AddAt(EventId event, ThreadId thread, StackId stack, uint64_t time,
             int32_t cpu) {
    Sample sample;
    sample.event = event;
    sample.thread = thread;
    sample.stack = stack;
    sample.time = time;
    sample.cpu = cpu;
    sample.period = 100;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }

  std::map<std::string, PageBlock> blocks_;
  std::vector<std::string> strings_;
};

TEST_F(HtmlTest, TheTreeHasFunctionsAndTheirSums) {
  AddEvent("dummy", "count", EventKind::kDummy);
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  const EventId faults = AddEvent("page-faults");
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(HtmlEmitterInfo()).ok());
  Add(clock, main, Stack({"memcpy", "sort", "main"}), 1000);
  Add(clock, main, Stack({"memcpy", "sort", "main"}, 1), 1000);
  Add(clock, main, Stack({"main"}), 500);
  Add(faults, main, Stack({"sys_read", "?"}), 1);
  Read();
  EXPECT_THAT(Sums(),
              ElementsAre("cpu-clock main: 1, 500",
                          "cpu-clock memcpy < sort(int*) (inlined) < main < "
                          "main: 2, 2000",
                          "page-faults sys_read < [lib.so]: 1, 1"));
  // The order of functions is that of their first nodes.
  EXPECT_EQ(NameOf("function.name", 1), "main");
  EXPECT_EQ(NameOf("function.file", 1), "app.cc");
  EXPECT_EQ(profile()["function.line"][1], 5u);
  EXPECT_EQ(NameOf("dso.name", profile()["function.dso"][1]), "/opt/app");
  const auto& flags = profile()["function.flags"];
  EXPECT_EQ(std::count(flags.begin(), flags.end(), 1u), 1);
  EXPECT_EQ(recording()["totals"][0]["samples"].GetUint64(), 3u);
  EXPECT_EQ(recording()["totals"][0]["period"].GetUint64(), 2500u);
  EXPECT_STREQ(profile().meta()["events"][0]["kind"].GetString(), "clock");
  EXPECT_STREQ(profile().meta()["events"][0]["unit"].GetString(),
               "nanoseconds");
}

TEST_F(HtmlTest, EntriesHaveTimeThreadAndCpu) {
  const EventId event = AddEvent("cycles");
  const ThreadId unused = AddThread(1, 1, "init", "init");
  const ThreadId one = AddThread(20, 20, "app", "app");
  const ThreadId two = AddThread(20, 21, "app", "worker");
  ASSERT_TRUE(Begin(HtmlEmitterInfo()).ok());
  ASSERT_TRUE(emitter().OnFork({50 * kTimeBin, unused, one}).ok());
  ASSERT_TRUE(emitter().OnFork({52 * kTimeBin, one, two}).ok());
  const StackId stack = Stack({"main"});
  AddAt(event, one, stack, 50 * kTimeBin + 1, 3);
  AddAt(event, two, stack, 52 * kTimeBin + 5, 0);
  AddAt(event, one, stack, 53 * kTimeBin, 3);
  AddAt(event, one, stack, 53 * kTimeBin + 1, 3);
  ASSERT_TRUE(emitter().OnExit({53 * kTimeBin + 7, two}).ok());
  info_.wall_clock_offset = 1000;
  Read();
  EXPECT_STREQ(recording()["time"]["start"].GetString(), "500000000");
  EXPECT_EQ(recording()["time"]["binNs"].GetUint64(), kTimeBin);
  EXPECT_EQ(recording()["time"]["bins"].GetUint64(), 4u);
  ASSERT_EQ(recording()["cpus"].Size(), 2u);
  EXPECT_EQ(recording()["cpus"][0].GetInt64(), 0);
  EXPECT_EQ(recording()["cpus"][1].GetInt64(), 3);
  EXPECT_THAT(samples()["group.thread"], ElementsAre(0, 1));
  EXPECT_THAT(samples()["group.entries"], ElementsAre(2, 1));
  EXPECT_THAT(samples()["group.period"], ElementsAre(300, 100));
  EXPECT_THAT(samples()["entry.bin"], ElementsAre(0, 3, 2));
  EXPECT_THAT(samples()["entry.cpu"], ElementsAre(2, 2, 1));
  EXPECT_THAT(samples()["entry.samples"], ElementsAre(1, 2, 1));
  EXPECT_THAT(samples()["thread.tid"], ElementsAre(20, 21));
  EXPECT_EQ(strings_[samples()["thread.name"][1]], "worker");
  EXPECT_THAT(samples()["thread.start"], ElementsAre(1, 2 * kTimeBin + 1));
  EXPECT_THAT(samples()["thread.end"], ElementsAre(0, 3 * kTimeBin + 8));
  // The parent has no samples, but a row.
  EXPECT_THAT(samples()["process.pid"], ElementsAre(20, 1));
  EXPECT_THAT(samples()["process.parent"], ElementsAre(2, 0));
}

TEST_F(HtmlTest, FactsLossesAndAdviceAreText) {
  AddEvent("cycles");
  info_.command_line = {"perf", "record", "-e", "</title><script>"};
  info_.hostname = "h\x1b[31m";
  summary_.losses = {"5 samples lost"};
  advice_ = {{"no symbols", "install them"}};
  ASSERT_TRUE(Begin(HtmlEmitterInfo()).ok());
  Read();
  EXPECT_THAT(output(), HasSubstr("<title>perf record -e &lt;/title&gt;&lt;"
                                  "script&gt;</title>"));
  EXPECT_STREQ(recording()["host"].GetString(), "h\\x1b[31m");
  EXPECT_STREQ(recording()["losses"][0].GetString(), "5 samples lost");
  EXPECT_STREQ(recording()["advice"][0]["message"].GetString(), "no symbols");
  EXPECT_STREQ(recording()["advice"][0]["next"].GetString(), "install them");
  EXPECT_EQ(profile()["node.up"].size(), 1u);  // no samples: the root alone
  EXPECT_TRUE(recording()["time"]["start"].IsNull());
}

TEST_F(HtmlTest, HostileNamesStayInTheirBlocks) {
  const EventId event = AddEvent("<script>alert(1)</script>");
  const std::string nul("a\0b", 3), reversed = "x\u202ey";
  const std::string endless = std::string(8191, '<') + "\u00e9";
  const ThreadId thread = AddThread(1, 1, "</script><img src=x>", nul);
  const ThreadId other = AddThread(1, 2, endless, reversed);
  Dso dso;
  dso.kind = DsoKind::kAnonymous;
  dso.name = "</script>\"'&<!--";
  AddFrame("hostile", tables_.AddDso(dso), 1);
  ASSERT_TRUE(Begin(HtmlEmitterInfo()).ok());
  Add(event, thread, Stack({"hostile"}), 1);
  Add(event, other, Stack({"hostile"}), 1);
  Read();
  // The page has its own elements only.
  size_t scripts = 0;
  for (size_t at = 0; (at = output().find("<script", at)) != std::string::npos;
       ++at) {
    ++scripts;
  }
  EXPECT_EQ(scripts, 3u);
  EXPECT_THAT(output(), Not(HasSubstr("<img")));
  EXPECT_STREQ(profile().meta()["events"][0]["name"].GetString(),
               "<script>alert(1)</script>");
  EXPECT_EQ(strings_[samples()["thread.name"][0]], "a\\x00b");
  EXPECT_EQ(strings_[samples()["thread.name"][1]], "x\\u202ey");
  EXPECT_EQ(strings_[samples()["process.name"][0]], "</script><img src=x>");
  const std::string& cut = strings_[samples()["process.name"][1]];
  EXPECT_LE(cut.size(), 4096u);
  EXPECT_EQ(cut.substr(cut.size() - 4), "<…");
}

TEST_F(HtmlTest, ThePolicyAllowsTheViewerAlone) {
  AddEvent("cycles");
  ASSERT_TRUE(Begin(HtmlEmitterInfo()).ok());
  Read();
  const auto source = [](const ViewerFile& file) {
    return absl::StrCat("'sha256-",
                        absl::Base64Escape(absl::HexStringToBytes(file.sha256)),
                        "'");
  };
  EXPECT_THAT(output(), HasSubstr(absl::StrCat(
                            "content=\"default-src 'none'; script-src ",
                            source(ViewerScript()), "; style-src ",
                            source(ViewerStyle()), ";")));
  EXPECT_THAT(output(), HasSubstr(absl::StrCat("<script>", ViewerScript().text,
                                               "</script>")));
}

TEST_F(HtmlTest, AnExhaustedBudgetLeavesOutSamples) {
  Budget& budget = Limit({{{1000, 0}, {1000, 0}, {1000, 0}}});
  const EventId event = AddEvent("cycles");
  const ThreadId thread = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(HtmlEmitterInfo()).ok());
  const StackId stack = Stack({"main"});
  Add(event, thread, stack);
  budget.Spend(Budget::kWork, 1 << 20);
  Add(event, thread, stack);
  Read();
  EXPECT_EQ(recording()["totals"][0]["samples"].GetUint64(), 1u);
  EXPECT_FALSE(diagnostics_.entries().empty());
}

// The recording that is compared with.
class OlderTrace : public SmallTrace {
 public:
  void TestBody() override {}
  std::shared_ptr<ComparisonBase> Take() {
    static const std::map<std::string, std::string> kOptions;
    Pipeline pipeline(1);
    std::shared_ptr<ComparisonBase> kept;
    const auto emitter = *HtmlEmitterInfo().make_base(
        {tables_, *this, kOptions, pipeline, &diagnostics_}, &kept);
    const EventId cycles = AddEvent("cycles");
    const EventId older = AddEvent("older");
    const ThreadId thread = AddThread(5, 5, "app", "app");
    EXPECT_TRUE(emitter->Begin(info_).ok());
    Sample sample;
    sample.event = cycles;
    sample.thread = thread;
    sample.stack = Stack({"memcpy", "main"});
    sample.period = 7;
    EXPECT_TRUE(emitter->OnSample(sample).ok());
    sample.event = older;
    EXPECT_TRUE(emitter->OnSample(sample).ok());
    EXPECT_TRUE(emitter->Finish(summary_).ok());
    EXPECT_TRUE(emitter->OnAdvice({}).ok());
    return kept;
  }
};

TEST_F(HtmlTest, ABaseSharesTheTree) {
  EmitterInfo info = HtmlEmitterInfo();
  static std::shared_ptr<ComparisonBase> base;
  base = OlderTrace().Take();
  info.make = [](const EmitterContext& context) {
    EmitterContext with = {
        context.tables,      context.outputs, context.options, context.pipeline,
        context.diagnostics, context.budget,  std::move(base)};
    return HtmlEmitterInfo().make(with);
  };
  const EventId cycles = AddEvent("cycles");
  const ThreadId thread = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(info).ok());
  Add(cycles, thread, Stack({"memcpy", "main"}), 3);
  Add(cycles, thread, Stack({"sys_read", "main"}), 4);
  Read();
  EXPECT_THAT(Sums(), ElementsAre("cycles memcpy < main: 1, 3",
                                  "cycles sys_read < main: 1, 4"));
  EXPECT_THAT(Sums("base"), ElementsAre("cycles memcpy < main: 1, 7",
                                        "older memcpy < main: 1, 7"));
  EXPECT_EQ(profile().meta()["base"]["totals"][1]["samples"].GetUint64(), 1u);
  EXPECT_THAT(blocks_.at("perf2x-base")["thread.tid"], ElementsAre(5));
}

}  // namespace
}  // namespace perf2x
