// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/profile_source/profile_maker.h"
#include "tests/profile_source/sample_lines.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

// In the order of the table, with values of the field's kind, each once.
TEST(ProfileThreadsTest, LabelsAreFields) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  pb::Sample* sample = maker.Sample({maker.Location(0, 1, {"f"})}, {1});
  maker.Number(sample, "parallelism", 3, "threads");
  maker.Label(sample, "waker", "kworker");
  maker.Label(sample, "transaction", "0xffffffffffffffff");
  maker.Number(sample, "weight", -1, "count");
  maker.Number(sample, "cgroup", 77, "cgroup");
  maker.Label(sample, "addr", "0x10");
  maker.Label(sample, "addr", "0x20");
  maker.Label(sample, "weight2", "5");
  maker.Label(sample, "color", "red");
  maker.Label(sample, "state", "sleeping");
  Diagnostics diagnostics;
  EXPECT_THAT(Show(maker, Budget::Unlimited(), &diagnostics),
              ElementsAre("samples 1 1 profile/profile/0 f:0 addr=0x10 "
                          "weight=18446744073709551615 weight2=5 "
                          "transaction=0xffffffffffffffff cgroup=77 "
                          "state=sleeping waker=kworker parallelism=3"));
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(diagnostics.entries().begin()->first,
            "label \"addr\" of the profile that its sample has already");
}

// What names the thread, the CPU and the time must not become a wrong number.
TEST(ProfileThreadsTest, LabelsOfThreadsThatDoNotSuitAreCounted) {
  const auto show = [](auto add, std::string* said) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    add(maker, maker.Sample({maker.Location(0, 1, {"f"})}, {1}));
    Diagnostics diagnostics;
    const std::vector<std::string> shown =
        Show(maker, Budget::Unlimited(), &diagnostics);
    *said = "";
    for (const auto& [message, entry] : diagnostics.entries()) {
      EXPECT_EQ(entry.count, 1u) << message;
      absl::StrAppend(said, message, "\n");
    }
    return shown.at(0);
  };
  const auto of = [](absl::string_view label, absl::string_view fault) {
    return absl::StrCat("label \"", label, "\" of the profile ", fault, "\n");
  };
  const std::string plain = "samples 1 1 profile/profile/0 f:0";
  std::string said;
  for (const char* key : {"pid", "tid", "cpu", "time"}) {
    EXPECT_EQ(show([&](ProfileMaker& maker,
                       pb::Sample* s) { maker.Label(s, key, "many"); },
                   &said),
              plain);
    EXPECT_EQ(said, of(key, "with a value that is no number"));
  }
  const auto out_of_range = [&](const std::string& key, int64_t number) {
    EXPECT_EQ(show([&](ProfileMaker& maker,
                       pb::Sample* s) { maker.Number(s, key, number, key); },
                   &said),
              plain);
    EXPECT_EQ(said, of(key, "with a value that is out of range"));
  };
  out_of_range("pid", int64_t{1} << 32);
  out_of_range("tid", -(int64_t{1} << 40));
  out_of_range("cpu", int64_t{1} << 31);
  out_of_range("cpu", -1);
  EXPECT_EQ(show([](ProfileMaker& maker,
                    pb::Sample* s) { maker.Number(s, "thread", 5, ""); },
                 &said),
            plain);
  EXPECT_EQ(said, of("thread", "with a value that is no text"));
  show([](ProfileMaker& maker,
          pb::Sample* s) { maker.Number(s, "time", 5, "seconds"); },
       &said);
  EXPECT_EQ(said, of("time", "with a value that is not in nanoseconds"));
  EXPECT_EQ(show(
                [](ProfileMaker& maker, pb::Sample* s) {
                  maker.Label(s, "thread", "first");
                  maker.Label(s, "thread", "second");
                  maker.Label(s, "tid", "7");
                  maker.Number(s, "tid", 8, "tid");
                },
                &said),
            "samples 1 1 first/first/7 f:0");
  EXPECT_EQ(said, of("thread", "that its sample has already") +
                      of("tid", "that its sample has already"));
}

TEST(ProfileThreadsTest, LabelsOfAnotherKindAreCounted) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  for (int i = 0; i < 2; ++i) {
    pb::Sample* sample = maker.Sample({maker.Location(0, 1, {"f"})}, {1});
    maker.Label(sample, "weight", "heavy");
    maker.Label(sample, "addr", "10");
    maker.Number(sample, "state", 4, "state");
    maker.Number(sample, "parallelism", -1, "threads");
    maker.Label(sample, "phys_addr", "0x20");
  }
  Diagnostics diagnostics;
  EXPECT_THAT(Show(maker, Budget::Unlimited(), &diagnostics),
              ElementsAre("samples 1 1 profile/profile/0 f:0 phys_addr=0x20",
                          "samples 1 1 profile/profile/0 f:0 phys_addr=0x20"));
  const auto count = [&](const std::string& what) {
    const auto it = diagnostics.entries().find(
        absl::StrCat("label ", what, " of the profile with a value that is ",
                     what == "\"state\""         ? "no text"
                     : what == "\"parallelism\"" ? "out of range"
                                                 : "no number"));
    return it == diagnostics.entries().end() ? 0 : it->second.count;
  };
  EXPECT_EQ(diagnostics.entries().size(), 4u);
  for (const char* label :
       {"\"weight\"", "\"addr\"", "\"state\"", "\"parallelism\""}) {
    EXPECT_EQ(count(label), 2u) << label;
  }
}

TEST(ProfileThreadsTest, LongTextsOfLabelsAreTruncated) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  pb::Sample* sample = maker.Sample({maker.Location(0, 1, {"f"})}, {1});
  maker.Label(sample, "cgroup", std::string(5000, 'c'));
  maker.Label(sample, "weight", std::string(5000, '0') + "1");
  Diagnostics diagnostics;
  EXPECT_THAT(Show(maker, Budget::Unlimited(), &diagnostics),
              ElementsAre("samples 1 1 profile/profile/0 f:0 cgroup=" +
                          std::string(4096, 'c')));
  const auto it =
      diagnostics.entries().find("text of a label of the profile truncated");
  ASSERT_NE(it, diagnostics.entries().end());
  EXPECT_EQ(it->second.bytes, 5000u - 4096u);
}

}  // namespace
}  // namespace perf2x
