// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/record_trial.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/emit/registry.h"
#include "converter/perf/records/wire.h"
#include "tests/fuzz/record_mutator.h"
#include "tests/support/file_bytes.h"
#include "tests/support/format_ways.h"
#include "tests/support/other_order.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Returns a word for a filter that may match something in the recording.
std::string WordFor(FilterKey key, const RecordSequence& list, Random& random) {
  const RecordSequence::Record* record =
      list.records.empty() ? nullptr : &random.Pick(list.records);
  const uint64_t number =
      record == nullptr
          ? 0
          : WordAt(*record, 4 * random.Below(record->body.size() / 4 + 1), 4,
                   list.order);
  const uint64_t small = random.OneIn(2) ? number : random.Below(4);
  switch (key) {
    case FilterKey::kEvent:
      return random.OneIn(2) ? "*" : random.OneIn(2) ? "cpu-*" : "*:*";
    case FilterKey::kPid:
    case FilterKey::kTid:
      return absl::StrCat(static_cast<uint32_t>(number) & 0x7fffffff);
    case FilterKey::kCpu:
      return random.OneIn(2) ? "0-3" : absl::StrCat(small & 0xffff);
    case FilterKey::kComm:
    case FilterKey::kDso:
    case FilterKey::kSymbol: {
      // Any text of a record.
      std::string word;
      for (size_t i = 8; record != nullptr && i < record->body.size(); ++i) {
        const uint8_t c = record->body[i];
        if (c == 0 && !word.empty()) break;
        if (c > 0x20 && c < 0x7f && c != ',')
          word.push_back(static_cast<char>(c));
      }
      return word.empty() ? "x" : word;
    }
  }
  return "x";
}

void AddFilter(const RecordSequence& list, Random& random, RecordTrial* trial) {
  trial->filter.allow_unmatched = !random.OneIn(3);
  for (uint64_t n = 1 + random.Below(2); n > 0; --n) {
    if (random.OneIn(4)) {
      constexpr const char* kTimes[] = {"10%/2", "0%-50%", "10%",     ",2820",
                                        "0,",    "1,2",    "90%-100%"};
      const auto time = ParseTimeFilter(random.Pick(kTimes));
      if (time.ok()) trial->filter.time = *time;
      continue;
    }
    const auto key = static_cast<FilterKey>(random.Below(kFilterKeys));
    (void)AddToFilter(key, WordFor(key, list, random), &trial->filter);
  }
}

}  // namespace

uint64_t RecordTrial::Size() const {
  uint64_t size = 0;
  for (const auto* all : {&files, &second}) {
    for (const ByteVector& file : *all) size += file.size();
  }
  return size;
}

std::string RecordTrial::Kind() const {
  if (command == Command::kInfo) return json ? "info --json" : "info";
  if (command == Command::kDump) return sorted ? "dump --sorted" : "dump";
  std::string kind = format;
  for (const auto& [name, value] : emitter_options) {
    absl::StrAppend(&kind, " ",
                    value == "true"                 ? name
                    : absl::StrContains(value, ',') ? name + " list"
                                                    : value);
  }
  return kind;
}

std::string RecordTrial::Description() const {
  std::string out;
  if (command == Command::kConvert) {
    out = absl::StrCat("--to ", format);
    for (const auto& [name, value] : emitter_options) {
      absl::StrAppend(&out, " --", name, value == "true" ? "" : "=",
                      value == "true" ? "" : value);
    }
    for (size_t i = 0; i < kFilterKeys; ++i) {
      if (filter.lists[i].empty()) continue;
      absl::StrAppend(&out, " ", kFilterOptions[i], "=",
                      absl::StrJoin(filter.lists[i], ","));
    }
    if (filter.time.any()) absl::StrAppend(&out, " --time=…");
    if (filter.max_stack != 0) {
      absl::StrAppend(&out, " --max-stack=", filter.max_stack);
    }
    absl::StrAppend(&out, " --threads=", threads,
                    " --max-memory=", max_memory >> 20, "M",
                    second.empty() ? "" : " --merge",
                    symbolize ? " --symfs=testdata/symfs" : " --no-symbols");
  } else {
    out = Kind();
  }
  return absl::StrCat(out, from_pipe ? " (pipe)" : "",
                      run_twice ? " (twice)" : "",
                      run_twice && other_source ? " (file and pipe)" : "");
}

std::vector<RecordSequence> RecordingSeeds() {
  std::vector<RecordSequence> seeds;
  for (const fs::path& path : FilesIn("testdata")) {
    if (path.extension() != ".data") continue;
    const ByteVector bytes = FileBytes(path);
    seeds.push_back(ParseRecordSequence(bytes));
    seeds.push_back(ParseRecordSequence(
        AsPipe(InOtherOrder(TakeApart(MemoryInput(bytes))))));
  }
  for (const char* target : {"file", "pipe", "convert"}) {
    for (const fs::path& path :
         FilesIn(fs::path("tests/fuzz/corpus") / target)) {
      seeds.push_back(ParseRecordSequence(FileBytes(path)));
    }
  }
  std::erase_if(seeds, [](const auto& list) { return list.records.empty(); });
  return seeds;
}

RecordTrial AnyTrial(std::vector<ByteVector> files, const RecordSequence& list,
                     Random& random) {
  RecordTrial trial;
  trial.files = std::move(files);
  trial.from_pipe = random.OneIn(3);
  if (const uint64_t n = random.Below(12); n < 2) {
    trial.command =
        n == 0 ? RecordTrial::Command::kInfo : RecordTrial::Command::kDump;
    trial.json = trial.sorted = random.OneIn(2);
    return trial;
  }
  const FormatWay& way = random.Pick(FormatWays());
  trial.format = way.format;
  trial.emitter_options = way.options;
  for (const EmitterOption& option : FindEmitter(way.format)->options) {
    if (*option.value == '\0' && random.OneIn(4)) {
      trial.emitter_options[option.name] = "true";
    }
  }
  if (random.OneIn(3)) AddFilter(list, random, &trial);
  if (random.OneIn(10)) {
    trial.filter.max_stack = static_cast<uint32_t>(1 + random.Below(40));
  }
  trial.threads = static_cast<int>(1 + random.Below(3));
  if (random.OneIn(3)) trial.max_memory = 4 << 20;
  trial.symbolize = random.OneIn(4);
  trial.run_twice = random.OneIn(8);
  trial.other_source = random.OneIn(2);
  return trial;
}

RecordTrial MakeTrial(uint64_t seed, const std::vector<RecordSequence>& seeds) {
  Random random(seed);
  RecordSequence list = random.Pick(seeds);
  const RecordSequence& other = random.Pick(seeds);
  MutateRecords(other, random, &list);
  RecordTrial trial =
      AnyTrial(Store(list, AnyStorage(list, random)), list, random);
  if (trial.command == RecordTrial::Command::kConvert && random.OneIn(6)) {
    RecordSequence second = random.OneIn(2) ? list : other;
    second.repeat = {};
    MutateRecords(list, random, &second);
    trial.second = Store(second, AnyStorage(second, random));
  }
  return trial;
}

}  // namespace perf2x
