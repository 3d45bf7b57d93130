// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_CHUNK_BUILDER_H_
#define PERF2X_EMIT_PARQUET_CHUNK_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/prefetch.h"
#include "converter/base/string_table.h"
#include "converter/emit/parquet/chunk_encoder.h"
#include "converter/emit/parquet/json_texts.h"
#include "converter/emit/tables/cell.h"

namespace perf2x {

// Returns how columns of `type` are stored.
StoredType StoredTypeOf(Column::Type type);

// Collects the cells of a column, one row group after another. Texts are stored
// as UTF-8 without control characters (AsPlainText). Stores as null: empty
// texts, empty JSON objects, infinities and NaN, and texts in a column of
// numbers. Charges no budget. Not thread-safe.
class ChunkBuilder {
 public:
  // Keeps no reference to `column`.
  explicit ChunkBuilder(const Column& column);

  // Adds the cell of a row, counted from 0 in the row group. Rows must ascend.
  // Those without a call have no value. `cell` must fit the column's type (see
  // Cell::Kind). Returns the bytes of memory that the value takes, besides one
  // for each row.
  size_t Add(size_t row, const Cell& cell) {
    if (cell.is_integer() && dictionary_ == nullptr) {
      return AddNumber(row, cell.number());
    }
    if (cell.kind() == Cell::Kind::kText && cell.key() < keys_.size() &&
        keys_[cell.key()].group == group_) {
      return AddStringId(row, keys_[cell.key()].text);
    }
    return AddOther(row, cell);
  }
  // Prefetches what Add of `cell` reads.
  void PrefetchFor(const Cell& cell) const {
    if (cell.kind() == Cell::Kind::kText && cell.key() < keys_.size()) {
      Prefetch(&keys_[cell.key()]);
    }
  }
  // Ends a row group of `rows` rows, and sets `*to` to its cells.
  void Take(size_t rows, ColumnCells* to);
  // Takes cells that are no longer needed, for their memory.
  void Recycle(ColumnCells cells);

  // Returns the names from the schema's root to the values.
  std::vector<std::string> path() const;

 private:
  // The dictionary's id of a key's text. Valid only in the row group `group`.
  struct KnownKey {
    uint32_t group = 0;
    StringId text = 0;
  };

  // Adds nulls for the rows before `row` that have none.
  void FillTo(size_t row) {
    if (row > rows_) AddNulls(row - rows_);
  }
  void AddNulls(size_t count);
  void AddDefinitions();
  size_t AddNumber(size_t row, uint64_t number) {
    FillTo(row);
    ++rows_;
    cells_.numbers.push_back(number);
    return sizeof(number);
  }
  // The empty string is the first one of a StringTable, and a null.
  size_t AddStringId(size_t row, StringId text) {
    if (text == 0) return 0;
    FillTo(row);
    ++rows_;
    cells_.texts.push_back(text - 1);
    return sizeof(text);
  }
  size_t AddOther(size_t row, const Cell& cell);
  size_t AddTextOf(size_t row, const Cell& cell);
  size_t AddText(size_t row, absl::string_view text);
  size_t AddJson(size_t row, Fields fields);
  size_t AddSites(size_t row, absl::Span<const uint32_t> sites);
  StringId Intern(absl::string_view text);

  void Begin();

  const std::string name_;
  const StoredType type_;
  // Rows that have a value or a null, and of these, those with levels in
  // cells_.definitions. The latest rows, which lack them, have values.
  size_t rows_ = 0, defined_ = 0;
  ColumnCells cells_, spare_;                // without their dictionary
  std::shared_ptr<StringTable> dictionary_;  // of the row group; null: numbers
  StringId last_text_ = 0;  // of AddText in this row group; 0: none, or empty
  size_t new_bytes_ = 0;    // of texts that were added to the dictionary
  uint32_t group_ = 0;
  std::vector<KnownKey> keys_;
  std::string scratch_;
  std::unique_ptr<JsonTexts> json_;  // for kJson
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_CHUNK_BUILDER_H_
