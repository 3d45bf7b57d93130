// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_STACK_SUMS_H_
#define PERF2X_PROFILE_SOURCE_STACK_SUMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/chunked.h"
#include "converter/model/stack_table.h"
#include "converter/profile_source/merged_header.h"

namespace perf2x {

// The sums of samples' values by their stacks, in one column for each value
// type. A stack is the locations of a sample, leaf first, and its label set.
// Values of 0 take next to no memory: most stacks have values in a few of many
// columns. Charges no budget. Not thread-safe.
class StackSums {
 public:
  StackSums() { blocks_.push_back({}); }
  // A moved-from object must not be used, but may be assigned to.
  StackSums(StackSums&&) = default;
  StackSums& operator=(StackSums&&) = default;

  // Returns the column of a value type; adds a column if there is none.
  size_t ColumnOf(MergedHeader::Type type);
  // Makes room for the columns that were added. To be called before the next
  // Add; memory() includes that room before.
  void FillColumns();
  // Adds values[i] to columns[i] of a stack, for all `columns`.
  void Add(absl::Span<const uint64_t> locations, uint32_t label_set,
           absl::Span<const size_t> columns, absl::Span<const int64_t> values);
  // Replaces each location by `location_now[location]`. Adds up the samples
  // whose stacks become equal. Stacks get new ids, unless no location changes.
  void ReplaceLocations(absl::Span<const uint32_t> location_now);

  // Returns the columns by their value types.
  const std::map<MergedHeader::Type, size_t>& columns() const {
    return columns_;
  }
  // Returns the stacks. The address space of a stack is its label set, and the
  // callchain is its locations.
  const StackTable& stacks() const { return stacks_; }
  // Returns a value of a stack.
  int64_t value(size_t column, StackId stack) const {
    return blocks_[block_of_[column][stack / kRows]][stack % kRows];
  }
  // Returns the approximate memory in bytes.
  uint64_t memory() const;

 private:
  // The values of consecutive stacks in one column.
  static constexpr uint32_t kRows = 16;
  using Block = std::array<int64_t, kRows>;

  // Returns the number of blocks that a column without zeros has.
  uint32_t Groups() const {
    return static_cast<uint32_t>((stacks_.size() + kRows - 1) / kRows);
  }

  StackTable stacks_;
  std::map<MergedHeader::Type, size_t> columns_;  // indexes in block_of_
  // Indexes in blocks_, by column, then by stack / kRows.
  std::vector<Chunked<uint32_t>> block_of_;
  Chunked<Block> blocks_;  // the first one, of zeros, is everyone's
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_STACK_SUMS_H_
