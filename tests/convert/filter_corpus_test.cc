// SPDX-License-Identifier: Apache-2.0

// Filters on recordings of the corpus, against perf's own list of samples.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/convert/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

struct ScriptLine {
  std::string comm, event;
  int32_t pid = 0, tid = 0, cpu = -1;
  std::optional<uint64_t> time;
};

// "comm pid/tid [cpu] seconds.nanoseconds: period event: "; CPU and time may be
// missing.
std::optional<ScriptLine> Parse(absl::string_view text) {
  const auto words =
      std::vector<std::string>(absl::StrSplit(text, ' ', absl::SkipEmpty()));
  ScriptLine line;
  for (size_t i = words.size(); i-- > 1;) {
    const std::vector<std::string> numbers = absl::StrSplit(words[i], '/');
    if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &line.pid) ||
        !absl::SimpleAtoi(numbers[1], &line.tid)) {
      continue;
    }
    const size_t at = text.find(words[i]);
    line.comm = std::string(absl::StripAsciiWhitespace(text.substr(0, at)));
    ++i;
    if (i < words.size() && words[i].front() == '[') {
      if (!absl::SimpleAtoi(words[i].substr(1, words[i].size() - 2),
                            &line.cpu)) {
        return std::nullopt;
      }
      ++i;
    }
    if (i < words.size() && absl::StrContains(words[i], '.')) {
      std::string digits = words[i];
      digits.erase(std::remove_if(digits.begin(), digits.end(),
                                  [](char c) { return c == '.' || c == ':'; }),
                   digits.end());
      uint64_t time = 0;
      if (!absl::SimpleAtoi(digits, &time)) return std::nullopt;
      line.time = time;
      ++i;
    }
    for (++i; i < words.size(); ++i) {
      absl::StrAppend(&line.event, line.event.empty() ? "" : " ", words[i]);
    }
    if (line.event.empty()) return std::nullopt;
    line.event.pop_back();  // a colon
    return line;
  }
  return std::nullopt;
}

class Counter {
 public:
  explicit Counter(const CorpusEntry& entry) : path_(RecordingOf(entry)) {}

  // Samples that pass, and those that do not.
  std::pair<uint64_t, uint64_t> Count(const FilterOptions& filter) const {
    ConvertOptions options;
    options.symbolize = false;
    options.filter = filter;
    ConvertReport report;
    const absl::Status status = ReadRecording(path_, options, {}, &report);
    EXPECT_TRUE(status.ok()) << status;
    std::pair<uint64_t, uint64_t> counts;
    for (const auto& event : report.events) {
      counts.first += event.samples;
      counts.second += event.filtered;
    }
    return counts;
  }

 private:
  const std::string path_;
};

TEST(FilterCorpusTest, LeavesWhatPerfWould) {
  int compared = 0;
  for (const CorpusEntry& entry : OwnRecordings()) {
    // perf 7.3 forgets the names of threads that began while it set up.
    if (entry.perf != "6.1") continue;
    const std::string truth = TruthOf(entry, "samples");
    if (truth.empty()) continue;
    std::vector<ScriptLine> lines;
    std::istringstream file(truth);
    for (std::string text; std::getline(file, text);) {
      if (const auto line = Parse(text)) lines.push_back(*line);
    }
    const Counter counter(entry);
    // perf gives up on some that perf2x reads, and the other way round.
    if (lines.empty() || lines.size() > 3000 ||
        counter.Count({}).first != lines.size()) {
      continue;
    }
    SCOPED_TRACE(entry.id);
    const auto check =
        [&](const FilterOptions& filter,
            const std::function<bool(const ScriptLine&)>& wanted) {
          const auto expected = static_cast<uint64_t>(
              std::count_if(lines.begin(), lines.end(), wanted));
          EXPECT_EQ(counter.Count(filter),
                    std::pair(expected, lines.size() - expected));
          ++compared;
        };
    const auto by = [&](FilterKey key, const std::string& word) {
      FilterOptions filter;
      filter.list(key) = {word};
      return filter;
    };
    const ScriptLine& one = lines[lines.size() / 2];
    check(by(FilterKey::kComm, one.comm),
          [&](const ScriptLine& line) { return line.comm == one.comm; });
    check(by(FilterKey::kPid, absl::StrCat(one.pid)),
          [&](const ScriptLine& line) { return line.pid == one.pid; });
    check(by(FilterKey::kTid, absl::StrCat(one.tid)),
          [&](const ScriptLine& line) { return line.tid == one.tid; });
    if (one.cpu >= 0) {
      check(by(FilterKey::kCpu, absl::StrCat(one.cpu)),
            [&](const ScriptLine& line) { return line.cpu == one.cpu; });
    }
    if (one.time.has_value()) {
      const uint64_t from = *lines[lines.size() / 4].time, to = *one.time;
      FilterOptions filter;
      filter.time.spans = {{from, to}};
      check(filter, [&](const ScriptLine& line) {
        return from <= *line.time && *line.time <= to;
      });
    }
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace perf2x
