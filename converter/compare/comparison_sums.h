// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_COMPARISON_SUMS_H_
#define PERF2X_COMPARE_COMPARISON_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/base/worker_pool.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/stack_functions.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The sums of one function, by column of ComparisonSums.
struct FunctionSums {
  std::string name;  // see NameAcrossBuilds
  // Base name of the source file; empty if all functions of this name are in
  // one file.
  std::string file;
  // Sums of periods. `self`: of samples with the function innermost. `total`:
  // of samples with it anywhere on the stack; recursion counts once.
  std::vector<uint64_t> self, total;
};

// Sums the samples of several recordings, which share `tables`, by event and
// stack. ByFunction then sums one event's samples by function.
//
// Sums have columns. Without `in_blocks`, recording r has the column r. With
// `in_blocks`, each recording has kBlocks columns, one for each block of its
// time: block b of recording r has the column r * kBlocks + b. All blocks of a
// recording have the same length. At first, this is 2^20 ns; it doubles until
// the recording fits. So a recording's last columns may be unused, see
// BlocksOf.
//
// Memory grows with (distinct stacks + functions) x columns. It is charged to
// the budget; so is ByFunction's work (Budget::kWork). Once the budget is
// exhausted, Add skips samples and ByFunction skips stacks. ByFunction reports
// both to the diagnostics. Sums saturate. Not thread-safe.
class ComparisonSums {
 public:
  // Number of a recording's columns with `in_blocks`: the maximum number of its
  // blocks.
  static constexpr size_t kBlocks = 64;

  // References must outlive this; `diagnostics` may be null.
  ComparisonSums(TraceTables& tables, size_t recordings, bool in_blocks,
                 Budget& budget, Diagnostics* diagnostics);

  // Assigns the samples of the following calls of Add to the recording `index`,
  // which must be less than `recordings`. Before the first call, samples go to
  // recording 0.
  void BeginRecording(size_t index);
  // Adds a sample. With `in_blocks`, a sample without a time is in block 0.
  void Add(const Sample& sample);

  // Returns the sum of an event's periods, by recording; zeros for an event
  // without samples.
  std::vector<uint64_t> SumsOf(EventId event) const;
  // Returns the number of an event's samples (the sum of Sample::count), by
  // recording; zeros for an event without samples.
  std::vector<uint64_t> SamplesOf(EventId event) const;
  // Returns the number of blocks up to the last block with a sample of any
  // event. Later columns of the recording are 0. Without `in_blocks`, returns
  // 1.
  size_t BlocksOf(size_t recording) const;
  // Returns the sums of an event's samples by function. Functions are in the
  // order in which they first occur in the stacks: by StackId, leaf first.
  // Symbolizes all frames with the help of `workers`. To be called once, last.
  std::vector<FunctionSums> ByFunction(EventId event, WorkerPool& workers);

 private:
  struct Key {
    EventId event;
    StackId stack;
    friend bool operator==(const Key&, const Key&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.event, k.stack);
    }
  };
  // The time of a recording's blocks.
  struct Clock {
    std::optional<uint64_t> start;
    uint64_t block = 1 << 20;  // ns
    size_t last = 0;           // block
  };

  // A stack with samples of the event that is summed.
  struct StackRow {
    StackId stack;
    size_t row;
    std::vector<FrameId> frames;
  };

  size_t BlockOf(std::optional<uint64_t> time);
  std::vector<StackRow> StacksOf(EventId event, Budget::Share* memory);
  void DoubleBlocks();
  uint64_t* ValuesOf(size_t row) { return &values_[row * columns_]; }

  TraceTables& tables_;
  const size_t blocks_, columns_;
  Budget& budget_;
  Budget::Share memory_;  // of rows_ and values_
  SkipCounter skip_counter_, stack_skip_counter_;
  StackFunctions functions_;
  size_t recording_ = 0;
  std::vector<Clock> clocks_;  // by recording
  absl::flat_hash_map<Key, size_t> rows_;
  std::vector<uint64_t> values_;  // by row, then column
  // Sums of periods and numbers of samples, by event, then recording.
  std::vector<std::vector<uint64_t>> periods_, samples_;
};

}  // namespace perf2x

#endif  // PERF2X_COMPARE_COMPARISON_SUMS_H_
