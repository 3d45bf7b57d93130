// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CSV_CELL_TEXTS_H_
#define PERF2X_EMIT_CSV_CELL_TEXTS_H_

#include <cstddef>
#include <memory_resource>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/base/byte_buffer.h"
#include "converter/base/prefetch.h"
#include "converter/emit/tables/cell.h"

namespace perf2x {

// The CSV of texts with a key (see Cell::Text), each of which is made once.
// Charges memory to the budget. Not thread-safe.
class CellTexts {
 public:
  explicit CellTexts(Budget& budget) : memory_(budget) {}

  // Returns the CSV of a kText that has a key; `column` is the index of its
  // column. Valid as long as this object and the cell's StringTable.
  absl::string_view TextOf(size_t column, const Cell& cell) {
    if (column >= columns_.size()) columns_.resize(column + 1);
    std::vector<absl::string_view>& texts =
        cell.is_in_table() ? in_table_ : columns_[column];
    if (cell.key() >= texts.size() || texts[cell.key()].data() == nullptr) {
      Add(cell, &texts);
    }
    return texts[cell.key()];
  }
  // Hints that TextOf comes soon for a text of a StringTable.
  void PrefetchText(const Cell& cell) const {
    if (cell.key() < in_table_.size()) Prefetch(&in_table_[cell.key()]);
  }

 private:
  void Add(const Cell& cell, std::vector<absl::string_view>* texts);

  Budget::Share memory_;
  // By key; null: not made yet.
  std::vector<absl::string_view> in_table_;  // all columns share the table
  std::vector<std::vector<absl::string_view>> columns_;
  std::pmr::monotonic_buffer_resource made_;
  ByteBuffer csv_;  // scratch
  std::string scratch_;
  size_t bytes_ = 0;      // of memory
  size_t accounted_ = 0;  // bytes_ when they were charged last
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CSV_CELL_TEXTS_H_
