// SPDX-License-Identifier: Apache-2.0

// The CSV tables of every recording of the corpus, against perf's counts and
// against one another.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "converter/convert/convert.h"
#include "converter/emit/emitters.h"
#include "tests/support/corpus.h"

namespace perf2x {
namespace {

// A table as RFC 4180 has it; the first row is the header.
std::vector<std::vector<std::string>> ParseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& cell = rows.back().back();
    if (quoted) {
      if (text[i] != '"') {
        cell.push_back(text[i]);
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell.push_back(text[++i]);
      } else {
        quoted = false;
      }
    } else if (text[i] == '"') {
      quoted = true;
    } else if (text[i] == ',') {
      rows.back().emplace_back();
    } else if (text.compare(i, 2, "\r\n") == 0) {
      rows.push_back({""});
      ++i;
    } else {
      cell.push_back(text[i]);
    }
  }
  rows.pop_back();
  return rows;
}

uint64_t Number(const std::string& text) {
  uint64_t value = 0;
  EXPECT_TRUE(absl::SimpleAtoi(text, &value)) << text;
  return value;
}

class MemoryOutputs final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(
      absl::string_view name) override {
    return MakeStringOutput(&files_[std::string(name)]);
  }
  std::vector<std::vector<std::string>> Table(const std::string& name) {
    return ParseCsv(files_[name + ".csv"]);
  }

 private:
  std::map<std::string, std::string> files_;
};

struct TableSums {
  std::map<std::string, uint64_t> samples, period;
};

// By event, from the rows of results.csv.
TableSums SumResults(const std::vector<std::vector<std::string>>& rows) {
  TableSums sums;
  for (size_t i = 1; i < rows.size(); ++i) {
    sums.period[rows[i][0]] += Number(rows[i][1]);
    sums.samples[rows[i][0]] += Number(rows[i][2]);
  }
  return sums;
}

// By event, from the columns of processes.csv.
TableSums SumProcesses(const std::vector<std::vector<std::string>>& rows,
                       const TableSums& expected) {
  TableSums sums;
  for (size_t c = 6; c < rows[0].size(); ++c) {
    const std::string& column = rows[0][c];
    const bool samples = absl::EndsWith(column, "_samples");
    const std::string event = column.substr(0, column.rfind('_'));
    for (size_t i = 1; i < rows.size(); ++i) {
      (samples ? sums.samples : sums.period)[event] += Number(rows[i][c]);
    }
    // Events without samples have no rows in results.csv.
    if (expected.samples.count(event) == 0) {
      auto& map = samples ? sums.samples : sums.period;
      if (map[event] == 0) map.erase(event);
    }
  }
  return sums;
}

// Why stat.csv may differ from perf's statistics; empty: it may not.
std::string WhyRecordsDiffer(const CorpusEntry& entry) {
  if (entry.id == "broken-oversize_record.data") {
    return "perf counts the record that runs over the end of the data";
  }
  if (entry.id == "broken-pipe_zstd_cut.data") {
    return "perf does not count the compressed record that the input cuts off";
  }
  if (entry.id == "simpleperf-perf_with_callchain_record.data") {
    return "perf does not know simpleperf's own records";
  }
  return "";
}

// Returns how many recordings were compared.
int Compare(const CorpusEntries& entries) {
  static const EmitterInfo& csv = *new EmitterInfo(CsvEmitterInfo());
  int compared = 0;
  for (const CorpusEntry& entry : entries) {
    SCOPED_TRACE(entry.id + " (" + entry.exercises + ")");
    auto input = OpenInput(RecordingOf(entry));
    if (!input.ok()) continue;  // so for all formats
    MemoryOutputs outputs;
    ConvertOptions options;
    options.symbolize = false;
    options.emitter_options["tables"] = "stat,overview,processes,results";
    ConvertReport report;
    if (!Convert(*std::move(input), csv, outputs, options, &report).ok()) {
      continue;
    }

    std::map<std::string, uint64_t> stat;
    uint64_t records = 0;
    const auto stat_rows = outputs.Table("stat");
    for (size_t i = 1; i < stat_rows.size(); ++i) {
      stat[stat_rows[i][0]] = Number(stat_rows[i][1]);
      // Their content is what overview.csv shows.
      if (!absl::StartsWith(stat_rows[i][0], "COMPRESSED")) {
        records += Number(stat_rows[i][1]);
      }
    }
    std::map<std::string, uint64_t> perfs = entry.records;
    perfs.erase("TOTAL");
    if (!perfs.empty() && WhyRecordsDiffer(entry).empty()) {
      EXPECT_EQ(stat, perfs);
    }
    EXPECT_EQ(outputs.Table("overview").size() - 1, records);

    TableSums converted;
    for (const auto& event : report.events) {
      if (event.samples == 0) continue;
      converted.samples[event.name] += event.samples;
      converted.period[event.name] += event.period;
    }
    const TableSums results = SumResults(outputs.Table("results"));
    EXPECT_EQ(results.samples, converted.samples);
    EXPECT_EQ(results.period, converted.period);
    const TableSums processes =
        SumProcesses(outputs.Table("processes"), converted);
    EXPECT_EQ(processes.samples, converted.samples);
    EXPECT_EQ(processes.period, converted.period);
    ++compared;
  }
  return compared;
}

TEST(CsvCorpusTest, TablesAgreeWithPerfAndOneAnother) {
  EXPECT_GT(Compare(OwnRecordings()), 190);
}

TEST(CsvCorpusTest, TablesOfThirdPartiesAgreeWithPerfAndOneAnother) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  EXPECT_GT(Compare(ThirdPartyRecordings()), 95);
}

}  // namespace
}  // namespace perf2x
