// SPDX-License-Identifier: Apache-2.0

// Each type of record and each header feature, repeated. 64 MB of them,
// decompressed, stay within the bounds of SECURITY.md, and twice as many cost
// little more than twice as much. Without these variables the tests are quick:
//
//   PERF2X_EVERY_RECORD=64     megabytes of each, to every format; a table
//   PERF2X_EVERY_RECORD=64:all also with each word of kPlaces counting up
//   PERF2X_DOUBLING=cpu        a table of the CPU time of n and 2n of each
//   PERF2X_KEEP_BOMBS=FOLDER   writes the inputs there, for
//   scripts/check-bounds

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/emit/registry.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/wire.h"
#include "tests/fuzz/counted_work.h"
#include "tests/fuzz/record_sequence.h"
#include "tests/fuzz/record_trial.h"
#include "tests/support/bounds.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

// The records to repeat: one record, alone or with a sample after it, as it is
// or with one word that counts up.
struct Kind {
  std::string name;
  RecordSequence list;  // ends with the records to repeat
  size_t count = 1;     // of records to repeat
};

// Offsets of the word that counts up; -1: no word does.
constexpr int kPlaces[] = {-1, 0, 4, 8, 16};

bool IsExample(const RecordSequence::Record& record, uint32_t type,
               uint64_t feature, ByteOrder order) {
  return record.type == type && (type != kRecordHeaderFeature ||
                                 WordAt(record, 0, 8, order) == feature);
}

// Returns the head of a recording that has such a record, and that record. If
// no recording has one, the record is made up of small numbers and a name.
Kind KindOf(const std::vector<RecordSequence>& seeds, std::string name,
            uint32_t type, uint64_t feature) {
  Kind kind{std::move(name), {}, 1};
  const auto begin_with = [&](const RecordSequence& seed) {
    kind.list.order = seed.order;
    kind.list.records.assign(
        seed.records.begin(),
        seed.records.begin() + static_cast<ptrdiff_t>(seed.HeadSize()));
  };
  for (const RecordSequence& seed : seeds) {
    if (seed.HeadSize() == 0) continue;
    for (const RecordSequence::Record& record : seed.records) {
      if (!IsExample(record, type, feature, seed.order)) continue;
      begin_with(seed);
      kind.list.records.push_back(record);
      // A payload would not be compressed: drops it and sets its size to 0.
      if (!record.payload.empty()) {
        kind.list.records.back().payload.clear();
        SetWordAt(&kind.list.records.back(), 0, 4, 0, seed.order);
      }
      return kind;
    }
  }
  begin_with(seeds.front());
  RecordSequence::Record made;
  made.type = type;
  made.body.resize(160);
  SetWordAt(&made, 0, 8, type == kRecordHeaderFeature ? feature : 1,
            kind.list.order);
  for (size_t at = 8; at < 64; at += 8) {
    SetWordAt(&made, at, 8, 2, kind.list.order);
  }
  std::fill(made.body.begin() + 64, made.body.begin() + 100, 'x');
  kind.list.records.push_back(std::move(made));
  return kind;
}

// Returns all record types that perf2x knows and all features of perf and
// simpleperf, some unknown types and features, and each of them followed by a
// sample.
std::vector<Kind> EveryKind() {
  const std::vector<RecordSequence> seeds = RecordingSeeds();
  std::vector<Kind> kinds;
  AllRecords::ForEach([&](auto record) {
    using R = decltype(record);
    if (R::kType == kRecordCompressed || R::kType == kRecordCompressed2 ||
        R::kType == kRecordHeaderFeature) {
      return;
    }
    kinds.push_back(KindOf(seeds, R::kName, R::kType, 0));
  });
  for (const uint32_t type : {0u, 50u, 63u, 1000u, 40'000u}) {
    kinds.push_back(KindOf(seeds, absl::StrCat("type ", type), type, 0));
  }
  for (uint64_t feature = 0; feature < 136; ++feature) {
    if (feature > 36 && feature < 126) continue;
    kinds.push_back(KindOf(seeds, absl::StrCat("feature ", feature),
                           kRecordHeaderFeature, feature));
  }
  const size_t alone = kinds.size();
  for (size_t i = 0; i < alone; ++i) {
    Kind kind = kinds[i];
    if (kind.name == "SAMPLE") continue;
    const Kind sample = KindOf(seeds, "", kRecordSample, 0);
    kind.list.records.push_back(sample.list.records.back());
    absl::StrAppend(&kind.name, " + SAMPLE");
    kind.count = 2;
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

ByteVector RepeatedKind(const Kind& kind, int place, uint64_t bytes) {
  RecordSequence list = kind.list;
  list.repeat.first = list.records.size() - kind.count;
  list.repeat.count = kind.count;
  list.repeat.bytes = bytes;
  if (place >= 0) {
    // A feature's number, which comes first, must not change.
    const bool feature =
        list.records[list.repeat.first].type == kRecordHeaderFeature;
    list.repeat.place = static_cast<size_t>(place) + (feature ? 8 : 0);
    list.repeat.step = 1;
    list.repeat.rounds = 3000;
  }
  Storage storage;
  storage.compressed = kRecordCompressed;
  storage.compress_from = list.repeat.first;
  return Store(list, storage)[0];
}

// Returns the places to try for a kind: all, or the one of this turn.
std::vector<int> PlacesFor(size_t turn, bool all) {
  if (all) return {std::begin(kPlaces), std::end(kPlaces)};
  return {kPlaces[turn % std::size(kPlaces)]};
}

// Prints a table with a row for each kind: the maximum cost in each way, over
// all places of the word that counts up.
class Table {
 public:
  explicit Table(bool print) : print_(print) {
    if (!print_) return;
    std::printf("%-34s", "CPU s, MB of memory, MB written");
    for (const std::string& way : EveryWay()) std::printf(" %16s", way.c_str());
    std::printf("\n");
  }
  void Add(const std::string& way, const Outcome& outcome) {
    Most& most = most_[way];
    most.seconds = std::max(most.seconds, outcome.seconds);
    most.memory = std::max(most.memory, outcome.peak_memory);
    most.written = std::max(most.written, outcome.output_bytes);
  }
  void EndRow(const std::string& name) {
    if (print_) {
      std::printf("%-34s", name.c_str());
      for (const std::string& way : EveryWay()) {
        const Most& most = most_[way];
        std::printf("  %5.2f %4.0f %4.0f", most.seconds,
                    static_cast<double>(most.memory) / 1e6,
                    static_cast<double>(most.written) / 1e6);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
    most_.clear();
  }

 private:
  struct Most {
    double seconds = 0;
    uint64_t memory = 0, written = 0;
  };
  const bool print_;
  std::map<std::string, Most> most_;
};

TEST(EveryRecordTest, OverAndOverStaysWithinTheBounds) {
  const char* given = std::getenv("PERF2X_EVERY_RECORD");
  const bool all = given != nullptr;
  const bool all_places = all && std::string(given).ends_with(":all");
  const uint64_t bytes = (all           ? std::strtoull(given, nullptr, 10)
                          : Sanitized() ? 0
                                        : 2) *
                             1'000'000 +
                         100'000;
  const std::vector<std::string> ways = EveryWay();
  Table table(all);
  size_t turn = 0;
  for (const Kind& kind : EveryKind()) {
    ++turn;
    for (const int place : PlacesFor(turn, all_places)) {
      const ByteVector input = RepeatedKind(kind, place, bytes);
      const std::string name = absl::StrCat(kind.name, " ", place);
      EXPECT_LE(input.size(), kBoundedInput) << name;
      KeepBomb(name, input);
      for (size_t w = 0; w < ways.size(); ++w) {
        if (!all && w % 3 != turn % 3) continue;
        const Outcome outcome = TakeHostile(MemoryInput(input), ways[w]);
        EXPECT_TRUE(outcome.status.ok()) << name << ": " << outcome.status;
        ExpectWithinBounds(outcome, absl::StrCat(name, " to ", ways[w]));
        if (w < Emitters().size()) {
          EXPECT_GE(outcome.report.bytes.decompressed, bytes) << name;
        }
        table.Add(ways[w], outcome);
      }
    }
    table.EndRow(kind.name);
  }
}

// A cost that must not grow faster than the input.
struct Counts {
  const char* name;
  uint64_t floor;  // smaller values count as this
  uint64_t value;
};
std::vector<Counts> CountsOf(const ByteVector& input, const std::string& way) {
  const WorkCount work =
      CountWork([&] { TakeHostile(MemoryInput(input), way); });
  return {{"allocations", 10'000, work.allocations},
          {"bytes allocated", 8'000'000, work.allocated}};
}

TEST(EveryRecordTest, TwiceAsManyCostTwiceAsMuch) {
  if (Sanitized()) GTEST_SKIP() << "sanitizers allocate for themselves";
  constexpr uint64_t kBytes = 300'000;
  const std::vector<std::string> ways = EveryWay();
  size_t turn = 0;
  for (const Kind& kind : EveryKind()) {
    for (const int place : PlacesFor(turn++, false)) {
      const ByteVector once = RepeatedKind(kind, place, kBytes),
                       twice = RepeatedKind(kind, place, 2 * kBytes);
      for (size_t w = turn % 3; w < ways.size(); w += 3) {
        const std::string& way = ways[w];
        const std::vector<Counts> a = CountsOf(once, way),
                                  b = CountsOf(twice, way);
        for (size_t i = 0; i < a.size(); ++i) {
          EXPECT_LE(static_cast<double>(b[i].value),
                    2.3 * static_cast<double>(std::max(a[i].value, a[i].floor)))
              << a[i].name << ", " << kind.name << " " << place << " to "
              << way;
        }
      }
    }
  }
}

// Returns the least CPU time of five runs; noise only adds to it.
double SecondsOf(const ByteVector& input, const std::string& way) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    least = std::min(least, TakeHostile(MemoryInput(input), way).seconds);
  }
  return least;
}

TEST(EveryRecordTest, TwiceAsManyTakeTwiceAsLong) {
  const char* given = std::getenv("PERF2X_DOUBLING");
  if (given == nullptr || std::string(given) != "cpu") {
    GTEST_SKIP() << "takes minutes and an idle machine: PERF2X_DOUBLING=cpu";
  }
  constexpr uint64_t kBytes = 8'000'000;
  constexpr double kMax = 2.3;
  constexpr double kShort = 0.05;  // seconds; less is not compared
  std::printf("%-34s", "ms of n, of 2n, their ratio");
  for (const std::string& way : EveryWay()) std::printf(" %18s", way.c_str());
  std::printf("\n");
  const std::vector<Kind> kinds = EveryKind();
  // The first conversions of a process wait for memory that later ones reuse.
  for (const std::string& way : EveryWay()) {
    (void)SecondsOf(RepeatedKind(kinds[0], 4, 2 * kBytes), way);
  }
  for (const Kind& kind : kinds) {
    const ByteVector once = RepeatedKind(kind, 4, kBytes),
                     twice = RepeatedKind(kind, 4, 2 * kBytes);
    std::printf("%-34s", kind.name.c_str());
    for (const std::string& way : EveryWay()) {
      double a = SecondsOf(once, way), b = SecondsOf(twice, way);
      // A machine may be busy for longer than five runs take.
      for (int more = 0; more < 10 && b > kShort && b / a >= kMax; ++more) {
        a = std::min(a, SecondsOf(once, way));
        b = std::min(b, SecondsOf(twice, way));
      }
      std::printf("  %5.1f %6.1f %4.2f", a * 1e3, b * 1e3, b / a);
      if (b > kShort) {
        EXPECT_LT(b / a, kMax) << kind.name << " to " << way;
      }
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace perf2x
