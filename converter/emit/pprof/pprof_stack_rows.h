// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_
#define PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/emit/sample_rows.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Prefetch distance: at stack s, a loop over stacks prefetches the rows of
// stack s + kRowsAhead.
inline constexpr StackId kRowsAhead = 16;

// The rows of one stack at a time, ordered by labels. Rows with the same
// labels, one for each event, make one sample of the profile. Not thread-safe.
class StackRows {
 public:
  // `rows` must outlive this.
  explicit StackRows(SampleRows& rows) : rows_(rows) {}

  // Loads the rows of `stack` that have samples, and drops all rows loaded
  // before. The stack must be below SampleRows::stacks().
  void Load(StackId stack);
  // Returns the number of loaded rows.
  size_t size() const { return loaded_.size(); }
  bool empty() const { return loaded_.empty(); }
  SampleRows::Row& operator[](size_t i) const {
    return rows_[static_cast<uint32_t>(loaded_[i])];
  }
  // Returns the index after the last row that has the labels of row `begin`.
  size_t EndOfLabels(size_t begin) const {
    size_t end = begin + 1;
    while (end < size() && loaded_[end] >> 32 == loaded_[begin] >> 32) ++end;
    return end;
  }

 private:
  SampleRows& rows_;
  // Their labels, in the upper halves, and indices: what they are sorted by, as
  // a stack that threads wait in may have as many rows as all others.
  std::vector<uint64_t> loaded_;
};

// Sums the rows of stacks that have the same frames, labels and event. Such
// stacks come from different address spaces: of one process before and after a
// mapping, or of two processes with equal labels.
//
// Adds each such row to the row of the stack with the lowest id. Sets the count
// of the added row to 0. Searches only label sets with stacks of several
// address spaces. The result has an element for each stack: false if all of its
// rows were moved to another stack, else true. Threads of `helpers` find
// frames. To be called after SampleRows::Finish.
std::vector<bool> SumEqualStacks(TraceTables& tables, HelperPool* helpers,
                                 SampleRows& rows);

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_
