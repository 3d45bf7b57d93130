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
#include "converter/emit/left_out.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The sums of one function, by column of ComparisonSums.
struct FunctionSums {
  std::string name;  // see NameOfEveryBuild
  std::string file;  // base name of the source file, where it tells two apart
  std::vector<uint64_t> self, total;  // periods
};

// Sums the samples of several recordings, in merged tables, by event and stack,
// and finally one event by function. A column of the sums is a recording or, if
// `in_blocks` is set, one of kBlocks blocks of its time. Memory grows with
// distinct stacks times columns. Not thread-safe.
class ComparisonSums {
 public:
  // Blocks double in length until the recording fits.
  static constexpr size_t kBlocks = 64;

  // References must outlive this; `diagnostics` may be null.
  ComparisonSums(TraceTables& tables, size_t recordings, bool in_blocks,
                 Budget& budget, Diagnostics* diagnostics);

  // The following samples are of this recording.
  void BeginRecording(size_t index);
  void Add(const Sample& sample);

  // Returns the sum of an event's periods, by recording.
  std::vector<uint64_t> SumsOf(EventId event) const;
  // Returns the number of an event's samples, by recording.
  std::vector<uint64_t> SamplesOf(EventId event) const;
  // Returns the number of columns of a recording that its time reaches.
  size_t BlocksOf(size_t recording) const;
  // Sums by function. Frees the stacks; to be called once.
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

  size_t BlockOf(std::optional<uint64_t> time);
  void DoubleBlocks();
  uint64_t* ValuesOf(size_t row) { return &values_[row * columns_]; }

  TraceTables& tables_;
  const size_t blocks_, columns_;
  Budget::Share memory_;
  LeftOut left_out_;
  size_t recording_ = 0;
  std::vector<Clock> clocks_;  // by recording
  absl::flat_hash_map<Key, size_t> rows_;
  std::vector<uint64_t> values_;  // by row, then column
  // Sums of periods and numbers of samples, by event, then recording.
  std::vector<std::vector<uint64_t>> periods_, samples_;
};

}  // namespace perf2x

#endif  // PERF2X_COMPARE_COMPARISON_SUMS_H_
