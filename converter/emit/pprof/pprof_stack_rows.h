// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_
#define PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/emit/sample_rows.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Stacks whose further rows are prefetched while all stacks are visited.
inline constexpr StackId kRowsAhead = 16;

// The rows of one stack at a time, ordered by labels: the rows of a sample, one
// for each event, are neighbours. Not thread-safe.
class StackRows {
 public:
  // `rows` must outlive this.
  explicit StackRows(SampleRows& rows) : rows_(rows) {}

  // Loads the rows of `stack` that have samples.
  void Load(StackId stack);
  // The number of loaded rows.
  size_t size() const { return loaded_.size(); }
  bool empty() const { return loaded_.empty(); }
  SampleRows::Row& operator[](size_t i) const { return rows_[loaded_[i]]; }
  // Returns the end of the rows that have the labels of row `begin`.
  size_t EndOfLabels(size_t begin) const;

 private:
  SampleRows& rows_;
  std::vector<uint32_t> loaded_;  // their indices
};

// Two stacks can have the same frames when their address spaces differ: one
// process before and after it mapped something, or two processes when no label
// tells them apart. Sums rows whose labels go with several address spaces under
// the first stack that has their frames; the others' counts become 0. Returns,
// by stack, whether the stack then has rows. With `finds_frames_on_thread`,
// frames are found on a thread of its own meanwhile.
std::vector<bool> SumEqualStacks(TraceTables& tables,
                                 bool finds_frames_on_thread, SampleRows& rows);

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_
