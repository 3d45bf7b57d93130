// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_
#define PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/emit/sample_rows.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// How far ahead a loop over all stacks calls SampleRows::Prefetch.
inline constexpr StackId kRowsAhead = 16;

// The rows of one stack at a time, ordered by labels. Rows with the same
// labels, one for each event, make one sample of the profile. Not thread-safe.
class StackRows {
 public:
  // `rows` must outlive this.
  explicit StackRows(SampleRows& rows) : rows_(rows) {}

  // Replaces the loaded rows by those of `stack` that have samples. The stack
  // must be below SampleRows::stacks().
  void Load(StackId stack);
  // Returns the number of loaded rows.
  size_t size() const { return loaded_.size(); }
  bool empty() const { return loaded_.empty(); }
  SampleRows::Row& operator[](size_t i) const { return rows_[loaded_[i]]; }
  // Returns the index after the last row that has the labels of row `begin`.
  size_t EndOfLabels(size_t begin) const;

 private:
  SampleRows& rows_;
  std::vector<uint32_t> loaded_;  // their indices
};

// Sums the rows of stacks that have the same frames. There are such stacks
// where address spaces differ: of one process before and after it mapped
// something, or of two processes that no label tells apart.
//
// Only rows whose labels go with several address spaces are looked at. Those
// with the same frames, labels and event are added to the row of the first
// stack; the counts of the others become 0. Returns, by stack, false if the
// stack has lost all its rows in this way. All other stacks are true, even if
// they never had a row. With `finds_frames_on_thread`, a thread of its own
// finds the frames. To be called after SampleRows::Finish.
std::vector<bool> SumEqualStacks(TraceTables& tables,
                                 bool finds_frames_on_thread, SampleRows& rows);

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_
