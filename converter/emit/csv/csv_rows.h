// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CSV_CSV_ROWS_H_
#define PERF2X_EMIT_CSV_CSV_ROWS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace perf2x {

// Some rows of a table, a chunk of OrderedChunks. The caller adds cells and
// ends rows. Then Work converts them to text (see CsvWriter), on any thread.
// Not thread-safe.
class CsvRows {
 public:
  // Each adds one cell to the row, from left to right; CsvWriter describes its
  // text. Text copies `text`.
  void Text(absl::string_view text) {
    Add(kText, text.size());
    std::memcpy(Grow(text.size()), text.data(), text.size());
  }
  void Number(uint64_t value) { Add(kNumber, value); }
  void Signed(int64_t value) { Add(kSigned, static_cast<uint64_t>(value)); }
  void Hex(uint64_t value) { Add(kHex, value); }
  void Share(double value) { Add(kShare, std::bit_cast<uint64_t>(value)); }
  void Real(double value) { Add(kReal, std::bit_cast<uint64_t>(value)); }
  void Empty() { *Grow(1) = kEmpty; }
  // Ends the row.
  void EndRow() { *Grow(1) = kEnd; }

  // Returns the memory that the cells take, in bytes; 0: there are none.
  size_t size() const { return size_; }

  // Makes the text of all cells. To be called once, after the last EndRow and
  // before Clear.
  void Work();
  // Returns the text that Work made. Valid until Clear.
  absl::string_view text() const { return text_; }
  // Removes the cells and the text.
  void Clear();

 private:
  enum Kind : char {
    kEmpty,
    kEnd,
    kText,
    kNumber,
    kSigned,
    kHex,
    kShare,
    kReal,
  };

  // `number` is the value or, of a text, its size.
  void Add(Kind kind, uint64_t number) {
    char* const cell = Grow(1 + sizeof(number));
    cell[0] = kind;
    std::memcpy(cell + 1, &number, sizeof(number));
  }
  // Returns memory for the next `bytes` of the values.
  char* Grow(size_t bytes) {
    if (values_.size() - size_ < bytes) {
      values_.resize(std::max(2 * values_.size(), size_ + bytes));
    }
    return values_.data() + std::exchange(size_, size_ + bytes);
  }
  void AppendText(absl::string_view text);
  void AppendReal(double value);

  // Of each cell, its kind and what belongs to that; then free memory.
  std::string values_;
  size_t size_ = 0;  // without the free memory
  std::string text_;
  std::string scratch_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CSV_CSV_ROWS_H_
