// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_ROW_QUEUE_H_
#define PERF2X_EMIT_TABLES_ROW_QUEUE_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/deferred_budget.h"
#include "converter/base/ordered_chunks.h"
#include "converter/base/worker_pool.h"
#include "converter/emit/path_numbers.h"
#include "converter/emit/tables/sample_batch.h"
#include "converter/emit/tables/table.h"
#include "converter/emit/waiting_words.h"

namespace perf2x {

// Passes samples and records to tables, in batches and in order. The tables
// make rows of them on another thread, while the caller's fills TraceTables and
// the next batches. The number of threads does not change the rows, nor what
// they find of the budget. Between Finish and the next call, the caller may use
// the tables. All calls must come from one thread.
class RowQueue {
 public:
  // `budget` is that of the tables' rows. All must outlive this. With
  // `on_thread`, a thread of its own makes the rows: it waits for others that
  // write them.
  RowQueue(TraceTables& tables, PathNumbers& paths, DeferredBudget& budget,
           WorkerPool& workers, bool on_thread);

  // Adds a table that gets all samples, with their paths, or all records. To be
  // called before the first sample or record. The table must outlive this.
  void AddTableOfSamples(Table* table) { of_samples_.push_back(table); }
  void AddTableOfRecords(Table* table) { of_records_.push_back(table); }
  bool has_tables_of_samples() const { return !of_samples_.empty(); }
  bool has_tables_of_records() const { return !of_records_.empty(); }

  // Add a copy to the batch, without branches and accesses. Return the first
  // error of any table, maybe of an earlier batch.
  absl::Status Add(const Sample& sample);
  absl::Status Add(const RecordEvent& record);
  // Returns when all rows are made. The budget then has the limits of this
  // moment; ChargeRest charges what is used from it afterwards.
  absl::Status Finish();
  void ChargeRest() { budget_.Charge(budget_.used()); }

 private:
  // A chunk of OrderedChunks. Copies have the tables, but no samples.
  class Batch {
   public:
    explicit Batch(RowQueue* queue = nullptr) : queue_(queue) {}
    Batch(const Batch& other) : queue_(other.queue_) {}
    Batch& operator=(const Batch&) = delete;

    void Work();
    void Clear();

    SampleBatch samples;
    std::vector<PathNumbers::Path> paths;  // of the samples
    uint32_t sites = 0;                    // that are numbered
    RecordBatch records;
    DeferredBudget::Limits limits;
    // Results of Work.
    absl::Status status;
    DeferredBudget::Amounts used;

   private:
    absl::Status MakeRows();

    RowQueue* queue_;
  };
  // One batch is filled, one becomes rows, and two wait in between.
  static constexpr size_t kBatches = 4;

  absl::Status Push();
  absl::Status OnDone(Batch& batch);

  PathNumbers& paths_;
  DeferredBudget& budget_;
  WorkerPool& workers_;
  std::vector<Table*> of_samples_, of_records_;
  bool has_failed_ = false;                 // a table; for Batch::Work
  WaitingWords words_;                      // of the batch
  EventId named_events_ = 0;                // that the tables know
  std::vector<StackId> stacks_;             // of the batch
  HelperPool thread_;                       // for batches_
  OrderedChunks<Batch, kBatches> batches_;  // uses the others
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_ROW_QUEUE_H_
