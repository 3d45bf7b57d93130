// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CSV_CSV_ROWS_H_
#define PERF2X_EMIT_CSV_CSV_ROWS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "converter/base/byte_buffer.h"
#include "converter/emit/csv/path_texts.h"

namespace perf2x {

// The cells of a row, from left to right, before they are text. Each function
// adds one, whose text CsvWriter describes.
class CsvRow {
 public:
  // Appends to `cells`, which nothing else may use until End. The row has
  // `count` cells.
  CsvRow(ByteBuffer& cells, size_t count)
      : cells_(cells), left_(count), end_(Reserve(0)) {}

  // Copies `text`.
  void Text(absl::string_view text) {
    Add(kText, text.size());
    cells_.SetEnd(end_);
    end_ = Reserve(text.size());
    if (!text.empty()) std::memcpy(end_, text.data(), text.size());
    end_ += text.size();
  }
  // `csv` is the cell as it is to be written, see AppendCsvCell. Must stay
  // valid until the row is text.
  void Csv(absl::string_view csv) {
    Add(kCsv, csv);
    text_bytes_ += csv.size();
  }
  void Path(const PathTexts::Text& path) {
    Add(kPath, path);
    text_bytes_ += path.size;
  }
  void Number(uint64_t value) { Add(kNumber, value); }
  void Signed(int64_t value) { Add(kSigned, value); }
  void Hex(uint64_t value) { Add(kHex, value); }
  void Share(double value) { Add(kShare, value); }
  void Real(double value) {
    std::isfinite(value) ? Add(kReal, value) : Empty(1);
  }
  // Adds `count` cells, at least one.
  void Empty(uint32_t count) { Add(kEmpty, count); }

 private:
  friend class CsvRows;
  enum Kind : char {
    kEmpty,
    kEnd,
    kText,
    kCsv,
    kPath,
    kNumber,
    kSigned,
    kHex,
    kShare,
    kReal,
  };
  // Bytes of a cell without a copied text.
  static constexpr size_t kMaxCell = 1 + sizeof(PathTexts::Text);

  template <class Value>
  void Add(Kind kind, const Value& value) {
    static_assert(1 + sizeof(value) <= kMaxCell);
    *end_ = kind;
    std::memcpy(end_ + 1, &value, sizeof(value));
    end_ += 1 + sizeof(value);
    --left_;
  }
  // Returns memory for `bytes`, the cells that are left, and the row's end.
  char* Reserve(size_t bytes) {
    return cells_.Reserve(bytes + left_ * kMaxCell + 1);
  }
  // Ends the row, which has at least one cell.
  void End() {
    *end_ = kEnd;
    cells_.SetEnd(end_ + 1);
  }

  ByteBuffer& cells_;
  size_t left_;  // cells that may still be added
  char* end_;    // of the row
  size_t text_bytes_ = 0;
};

// Some rows of a table, a chunk of OrderedChunks. The caller adds rows. Then
// Work converts them to text, on any thread. Not thread-safe.
class CsvRows {
 public:
  // `paths` must outlive this; may be null if there are no paths.
  explicit CsvRows(const PathTexts* paths = nullptr) : paths_(paths) {}

  // Begins a row, to which at most `cells` cells will be added. Add ends it.
  CsvRow NewRow(size_t cells) { return {cells_, cells}; }
  void Add(CsvRow& row) {
    row.End();
    text_bytes_ += row.text_bytes_;
  }

  bool empty() const { return cells_.size() == 0; }
  // Returns true if there are so many cells, or so long ones, that they should
  // become text.
  bool full() const {
    return cells_.size() >= kMaxCells || text_bytes_ >= kMaxTexts;
  }

  // Makes the text of all cells. To be called once, after the last Add and
  // before Clear.
  void Work();
  // Returns the text that Work made.
  ByteBuffer& text() { return text_; }
  // Removes the cells and the text.
  void Clear();

 private:
  // Bytes of the cells of full rows, and of the texts that the cells refer to.
  static constexpr size_t kMaxCells = 128 << 10, kMaxTexts = 256 << 10;

  char* WriteNumber(CsvRow::Kind kind, const char* number);
  const char* WriteCell(CsvRow::Kind kind, const char* value);
  void EndLine();

  const PathTexts* paths_;
  ByteBuffer cells_;  // of each, its kind and what belongs to that
  size_t text_bytes_ = 0;
  ByteBuffer text_;
  std::string scratch_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CSV_CSV_ROWS_H_
