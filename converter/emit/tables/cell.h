// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_CELL_H_
#define PERF2X_EMIT_TABLES_CELL_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/string_table.h"
#include "converter/emit/path_numbers.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A column of a table. How a typed format (Parquet) stores a column depends
// only on `type`, not on its cells or unit.
struct Column {
  enum class Type : uint8_t {
    kNumber,    // unsigned
    kSigned,    // a pid, or a CPU
    kTime,      // ns on the recording's clock
    kWallTime,  // ns since 1970, signed
    kHex,       // an address or a bit mask
    kShare,     // from 0 to 1
    kReal,
    kText,
    kJson,   // a JSON object, as text
    kPath,   // a call path; the format writes its number or its names
    kSites,  // a list of call sites, by number
  };
  absl::string_view name;
  Type type = Type::kText;
  const char* unit = "";  // "": none
};

// The value of a row in one column. It refers to data that must stay valid
// until RowSink::AddRow returns.
class Cell {
 public:
  // As Column::Type, but cells of a kTime column are kNumber, and cells of a
  // kWallTime column are kSigned. A column of type kText may also have cells of
  // kNumber, kSigned and kHex.
  enum class Kind : uint8_t {
    kAbsent,  // the cell has no value
    kNumber,
    kSigned,
    kHex,
    kShare,
    kReal,
    kText,
    kJson,
    kPath,
    kSites,
  };

  // Makes a cell without a value.
  Cell() = default;
  // Each makes a cell of the Kind that it is named after.
  static Cell Number(uint64_t value) { return {Kind::kNumber, value}; }
  static Cell Signed(int64_t value) {
    return {Kind::kSigned, static_cast<uint64_t>(value)};
  }
  static Cell Hex(uint64_t value) { return {Kind::kHex, value}; }
  static Cell Share(double value) {
    return {Kind::kShare, std::bit_cast<uint64_t>(value)};
  }
  static Cell Real(double value) {
    return {Kind::kReal, std::bit_cast<uint64_t>(value)};
  }
  static Cell Path(const PathNumbers::Path& path) {
    return {Kind::kPath, path.number};
  }
  static Cell Text(absl::string_view text) {
    return {Kind::kText, kNoId, text.data(), text.size()};
  }
  // As above, with a key that identifies the text. Within a column, equal keys
  // must mean equal texts. Sinks may allocate memory for all keys up to the
  // largest.
  static Cell Text(absl::string_view text, uint32_t key) {
    return {Kind::kText, key, text.data(), text.size()};
  }
  // A text of `strings`, with its id as the key. The text is looked up only if
  // it is needed: this takes less than most look-ups.
  static Cell Text(const StringTable& strings, StringId id) {
    return {Kind::kText, id, &strings, kInTable};
  }
  static Cell Json(Fields fields) {
    return {Kind::kJson, 0, fields.data(), fields.size()};
  }
  // `numbers` must not be empty.
  static Cell Sites(absl::Span<const uint32_t> numbers) {
    return {Kind::kSites, 0, numbers.data(), numbers.size()};
  }
  // Makes a kNumber; kAbsent if there is no value.
  static Cell Optional(std::optional<uint64_t> value) {
    return value.has_value() ? Number(*value) : Cell();
  }
  // Makes this a cell of the field's value, of the matching kind.
  void SetToField(const Field& field);
  // As SetToField(), but a hexadecimal number becomes kNumber.
  void SetToDecimalField(const Field& field);

  Kind kind() const { return kind_; }
  // Returns true for kNumber, kSigned, kHex and kPath.
  bool is_integer() const {
    constexpr unsigned kIntegers = 1u << static_cast<int>(Kind::kNumber) |
                                   1u << static_cast<int>(Kind::kSigned) |
                                   1u << static_cast<int>(Kind::kHex) |
                                   1u << static_cast<int>(Kind::kPath);
    return (kIntegers >> static_cast<int>(kind_) & 1) != 0;
  }

  // The following require a cell of a matching kind.

  // For kNumber, kHex, kSigned (as two's complement) and kPath (the path's
  // number).
  uint64_t number() const { return number_; }
  // For kShare and kReal.
  double real() const { return std::bit_cast<double>(number_); }
  // For kText; kNoId: the text has no key.
  uint32_t key() const { return static_cast<uint32_t>(number_); }
  // For kText. Returns true if the text is in a StringTable.
  bool is_in_table() const { return size_ == kInTable; }
  // For kText.
  absl::string_view text() const {
    return is_in_table()
               ? (*static_cast<const StringTable*>(data_))[key()]
               : absl::string_view(static_cast<const char*>(data_), size_);
  }
  // For kJson.
  Fields fields() const { return {static_cast<const Field*>(data_), size_}; }
  // For kSites.
  absl::Span<const uint32_t> sites() const {
    return {static_cast<const uint32_t*>(data_), size_};
  }

 private:
  // size_ of a text that is in a StringTable.
  static constexpr size_t kInTable = ~size_t{0};

  Cell(Kind kind, uint64_t number, const void* data = nullptr, size_t size = 0)
      : kind_(kind), number_(number), data_(data), size_(size) {}

  void SetToNumber(Kind kind, uint64_t number) {
    kind_ = kind;
    number_ = number;
  }

  Kind kind_ = Kind::kAbsent;
  uint64_t number_ = 0;
  const void* data_ = nullptr;
  size_t size_ = 0;
};

// Writes the rows of one table in one format. AddRow and Close return the
// output's errors; an error of one row may come only from a later call. Not
// thread-safe: all calls come from one thread at a time, see Table.
class RowSink {
 public:
  virtual ~RowSink() = default;
  // Called once, before the first row. Names and units must stay valid until
  // Close has returned.
  virtual void SetColumns(absl::Span<const Column> columns) = 0;
  // Hints that a row soon has this cell in the column that SetColumns got at
  // `column`. Of texts, only for those of a StringTable.
  virtual void PrefetchFor([[maybe_unused]] size_t column, const Cell&) {}
  // Adds a row; `cells` has one cell for each column.
  virtual absl::Status AddRow(absl::Span<const Cell> cells) = 0;
  // Writes buffered rows and closes the output. Called once, last.
  virtual absl::Status Close() = 0;
};

// A column, and how its cell is read from a row.
template <class Row>
struct ColumnOf {
  Column column;
  Cell (*get)(const Row& row);
};

// Returns the columns without the functions that read cells.
template <class Row, size_t kColumns>
std::vector<Column> ColumnsOf(const ColumnOf<Row> (&columns)[kColumns]) {
  std::vector<Column> out;
  for (const ColumnOf<Row>& c : columns) out.push_back(c.column);
  return out;
}

// Sets the first elements of `*cells` to the cells of `row`. `kColumns` is an
// array of ColumnOf<Row>; `*cells` must have at least as many elements.
template <const auto& kColumns, class Row>
void ReadCells(const Row& row, std::vector<Cell>* cells) {
  [&]<size_t... kAt>(std::index_sequence<kAt...>) {
    (((*cells)[kAt] = kColumns[kAt].get(row)), ...);
  }
  (std::make_index_sequence<std::size(kColumns)>());
}

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_CELL_H_
