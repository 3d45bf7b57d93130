// SPDX-License-Identifier: Apache-2.0

// Traces of real recordings: valid JSON, with an instant for every tracepoint
// that perf counted, on rows on which slices nest.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "tests/support/corpus.h"
#include "tests/support/text_output.h"

namespace perf2x {
namespace {

struct Slice {
  int64_t begin, end;  // ns
};
using Row = std::pair<int64_t, int64_t>;  // pid, tid

int64_t Nanoseconds(const rapidjson::Value& micros) {
  return std::llround(micros.GetDouble() * 1000);
}

// The slices that cross another one of their row.
int Crossing(std::vector<Slice> slices) {
  std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  int crossing = 0;
  std::vector<Slice> open;
  for (const Slice& slice : slices) {
    while (!open.empty() && open.back().end <= slice.begin) open.pop_back();
    if (!open.empty() && slice.end > open.back().end) ++crossing;
    open.push_back(slice);
  }
  return crossing;
}

// The trace of a recording; null when there is none.
rapidjson::Document TraceOf(const CorpusEntry& entry) {
  rapidjson::Document json;
  auto input = OpenInput(RecordingOf(entry));
  EXPECT_TRUE(input.ok()) << input.status();
  const EmitterInfo* chrome = FindEmitter("chrome");
  if (!input.ok() || chrome == nullptr) return json;
  TextOutput out;
  ConvertOptions options;
  options.symbolize = false;
  ConvertReport report;
  EXPECT_TRUE(Convert(*std::move(input), *chrome, out, options, &report).ok());
  json.Parse<rapidjson::kParseValidateEncodingFlag>(out.text.data(),
                                                    out.text.size());
  EXPECT_FALSE(json.HasParseError());
  return json;
}

void CheckTraces(const CorpusEntry& entry) {
  const rapidjson::Document json = TraceOf(entry);
  ASSERT_TRUE(json.IsObject());
  std::map<Row, std::vector<Slice>> rows;
  std::map<std::string, uint64_t> instants;
  for (const auto& event : json["traceEvents"].GetArray()) {
    ASSERT_TRUE(event.HasMember("cat"));
    const std::string phase = event["ph"].GetString();
    if (phase != "M") {
      EXPECT_GE(event["ts"].GetDouble(), 0);
    }
    if (phase == "i") ++instants[event["cat"].GetString()];
    if (phase != "X") continue;
    const int64_t begin = Nanoseconds(event["ts"]);
    EXPECT_GE(event["dur"].GetDouble(), 0);
    rows[{event["pid"].GetInt64(), event["tid"].GetInt64()}].push_back(
        {begin, begin + Nanoseconds(event["dur"])});
  }
  for (auto& [row, slices] : rows) {
    EXPECT_EQ(Crossing(std::move(slices)), 0)
        << "in row " << row.first << ":" << row.second;
  }
  for (const auto& [name, samples] : entry.samples) {
    if (!absl::StrContains(name, "sched:") || instants.empty()) continue;
    EXPECT_EQ(instants[name], samples) << name;
  }
}

TEST(ChromeCorpusTest, TracesAreWellFormed) {
  for (const CorpusEntry& entry : OwnRecordings()) {
    if (entry.group != "recorded") continue;
    SCOPED_TRACE(entry.id);
    CheckTraces(entry);
  }
}

// Each round's counts, summed over the CPUs, are those that `perf stat report`
// prints: "0.100576515  204.55 msec cpu-clock".
TEST(ChromeCorpusTest, CountersAreThoseOfPerfStat) {
  const CorpusEntry* entry = FindRecording(OwnRecordings(), "vm-stat_I");
  ASSERT_NE(entry, nullptr);
  const rapidjson::Document json = TraceOf(*entry);
  ASSERT_TRUE(json.IsObject());
  // By event and the round's begin.
  std::map<std::string, std::map<int64_t, double>> counts;
  for (const auto& event : json["traceEvents"].GetArray()) {
    if (event["ph"] != "C") continue;
    const std::string name = event["name"].GetString();
    counts[name.substr(0, name.find(" on CPU"))][Nanoseconds(event["ts"])] +=
        event["args"].MemberBegin()->value.GetDouble();
  }
  int compared = 0;
  std::map<std::string, int64_t> begin;
  std::istringstream lines(TruthOf(*entry, "statreport"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    double seconds, count;
    std::string name;
    if (!(words >> seconds >> count >> name)) continue;
    if (name == "msec") words >> name;
    EXPECT_NEAR(counts[name][begin[name]], count, 0.0051)
        << name << " until " << seconds;
    begin[name] = std::llround(seconds * 1e9);
    ++compared;
  }
  EXPECT_EQ(compared, 21);
}

}  // namespace
}  // namespace perf2x
