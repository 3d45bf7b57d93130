// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_
#define PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/emit/sample_rows.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// A loop over all stacks prefetches the rows of the stack kRowsAhead later.
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
  SampleRows::Row& operator[](size_t i) const { return rows_[loaded_[i]]; }
  // Returns the index after the last row that has the labels of row `begin`.
  size_t EndOfLabels(size_t begin) const;

 private:
  SampleRows& rows_;
  std::vector<uint32_t> loaded_;  // their indices
};

// Sums the rows of stacks that have the same frames. Such stacks come from
// different address spaces: of one process before and after it mapped
// something, or of two processes that no label tells apart.
//
// Looks only at rows whose labels had several address spaces. Adds rows of the
// same frames, labels and event to the row of the first such stack; the counts
// of the added rows become 0. Returns, by stack, false if a stack lost all its
// rows in this way. Stacks that never had a row are true. With
// `finds_frames_on_thread`, a thread of its own finds the frames. To be called
// after SampleRows::Finish.
std::vector<bool> SumEqualStacks(TraceTables& tables,
                                 bool finds_frames_on_thread, SampleRows& rows);

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_STACK_ROWS_H_
