// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/row_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "converter/base/status_macros.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

// Notes what it gets, and whether the budget was exhausted.
class NotingTable final : public Table {
 public:
  explicit NotingTable(const TableContext& context) : context_(context) {}

  absl::Status OnSamples(const SamplesWithPaths& rows) override {
    thread = std::this_thread::get_id();
    EXPECT_EQ(rows.samples.size(), rows.paths.size());
    for (size_t i = 0; i < rows.samples.size(); ++i) {
      const Sample& sample = rows.samples[i];
      periods.push_back(sample.period);
      exhausted.push_back(context_.budget.exhausted());
      context_.budget.Spend(Budget::kOutput, 100);
      for (const uint32_t site : context_.paths.SitesOf(rows.paths[i].number)) {
        EXPECT_LT(site, rows.sites);
        const CallSite& at = context_.paths.sites()[site];
        const StringId name = context_.tables.functions()[at.function].name;
        EXPECT_FALSE(context_.tables.strings[name].empty());
      }
      EXPECT_LT(sample.event, events);
      if (sample.period == fails_at) return absl::DataLossError("no room");
    }
    return absl::OkStatus();
  }
  absl::Status OnRecord(const RecordEvent& record) override {
    records.push_back(record.index);
    return absl::OkStatus();
  }
  void OnNewEvent(EventId event) override {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    events = event + 1;
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }

  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id thread;
  std::vector<uint64_t> periods, records;
  std::vector<bool> exhausted;
  EventId events = 0;
  uint64_t fails_at = ~uint64_t{0};

 private:
  const TableContext context_;
};

class RowQueueTest : public SmallTrace {
 protected:
  // Everything that a queue needs, and a table that has samples and records.
  struct Made {
    Made(TraceTables& tables, Budget& budget, int threads)
        : pool(threads),
          functions(tables, budget, nullptr),
          paths(tables, functions, budget, /*equal_paths_share=*/false),
          deferred(budget),
          table({.tables = tables,
                 .paths = paths,
                 .info = info,
                 .budget = deferred.budget(),
                 .diagnostics = nullptr}),
          queue(tables, paths, deferred, pool,
                /*on_thread=*/threads > 1) {
      queue.AddTableOfSamples(&table);
      queue.AddTableOfRecords(&table);
    }
    TraceInfo info;
    WorkerPool pool;
    StackFunctions functions;
    PathNumbers paths;
    DeferredBudget deferred;
    NotingTable table;
    RowQueue queue;
  };

  RowQueueTest() {
    AddEvent("cycles");
    AddThread(1, 1, "app", "app");
  }
  // Adds a sample with a stack that no other one has.
  absl::Status Add(Made& made, uint64_t period) {
    Sample sample;
    sample.event = static_cast<EventId>(period / 50'000);
    sample.period = period;
    AddFrame(std::to_string(period), lib_, 0x1000 + period);
    sample.stack = Stack({std::to_string(period), "main"});
    RecordEvent record;
    record.index = period;
    RETURN_IF_ERROR(made.queue.Add(sample));
    return made.queue.Add(record);
  }
};

constexpr uint64_t kSamples = 30'000;

TEST_F(RowQueueTest, TablesGetAllInOrder) {
  for (const int threads : {1, 2, 5}) {
    Budget budget;
    Made made(tables_, budget, threads);
    for (uint64_t i = 0; i < kSamples; ++i) ASSERT_TRUE(Add(made, i).ok());
    ASSERT_TRUE(made.queue.Finish().ok());
    ASSERT_EQ(made.table.periods.size(), kSamples);
    ASSERT_EQ(made.table.records.size(), kSamples);
    for (uint64_t i = 0; i < kSamples; ++i) {
      ASSERT_EQ(made.table.periods[i], i);
      ASSERT_EQ(made.table.records[i], i);
    }
    made.queue.ChargeRest();
    EXPECT_EQ(budget.used(Budget::kOutput), 100 * kSamples);
    EXPECT_EQ(made.table.events, 1u);
  }
}

// What a row finds exhausted is the same whatever the threads: each also spends
// what the other does.
TEST_F(RowQueueTest, TheBudgetDoesNotDependOnThreads) {
  constexpr Budget::Rules kRules = {
      {{1 << 30, 0}, {1 << 30, 0}, {kSamples * 120, 0}}};
  std::optional<std::vector<bool>> first;
  for (const int threads : {1, 2, 5, 2}) {
    Budget budget(kRules);
    Made made(tables_, budget, threads);
    std::vector<bool> of_caller;
    for (uint64_t i = 0; i < kSamples; ++i) {
      of_caller.push_back(budget.exhausted());
      budget.Spend(Budget::kOutput, 50);
      ASSERT_TRUE(Add(made, i).ok());
    }
    ASSERT_TRUE(made.queue.Finish().ok());
    std::vector<bool> all = made.table.exhausted;
    all.insert(all.end(), of_caller.begin(), of_caller.end());
    EXPECT_FALSE(all.front());
    EXPECT_TRUE(made.table.exhausted.back());
    EXPECT_TRUE(of_caller.back());
    if (first.has_value()) {
      EXPECT_TRUE(*first == all) << threads;
    } else {
      first = all;
    }
  }
}

TEST_F(RowQueueTest, AnErrorComesLaterAndStays) {
  for (const int threads : {1, 3}) {
    Budget budget;
    Made made(tables_, budget, threads);
    made.table.fails_at = 10;
    absl::Status status;
    for (uint64_t i = 0; i < kSamples && status.ok(); ++i) {
      status = Add(made, i);
    }
    EXPECT_EQ(status.message(), "no room");
    EXPECT_EQ(made.queue.Finish().message(), "no room");
    EXPECT_EQ(made.table.periods.size(), 11u);  // no batch follows
    EXPECT_TRUE(made.table.records.empty());
  }
}

TEST_F(RowQueueTest, AnErrorOfTheLastBatchComesFromFinish) {
  Budget budget;
  Made made(tables_, budget, 2);
  made.table.fails_at = 0;
  ASSERT_TRUE(Add(made, 0).ok());
  EXPECT_EQ(made.queue.Finish().message(), "no room");
}

TEST_F(RowQueueTest, MayBeAbandoned) {
  Budget budget;
  Made made(tables_, budget, 2);
  for (uint64_t i = 0; i < kSamples; ++i) ASSERT_TRUE(Add(made, i).ok());
}

}  // namespace
}  // namespace perf2x
