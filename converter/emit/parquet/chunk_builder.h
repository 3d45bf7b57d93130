// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_CHUNK_BUILDER_H_
#define PERF2X_EMIT_PARQUET_CHUNK_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/string_table.h"
#include "converter/emit/json_fields.h"
#include "converter/emit/parquet/level_encoding.h"
#include "converter/emit/tables/cell.h"
#include "parquet_types.h"

namespace perf2x {

// How Parquet stores the values of a column.
struct StoredType {
  parquet::Type::type physical = parquet::Type::INT64;
  bool is_signed = false;  // of INT64
  bool ascends = false;    // values mostly grow from row to row, as times do
  bool is_list = false;    // each row has a list of values
};
// Returns how columns of `type` are stored.
StoredType StoredTypeOf(Column::Type type);

// The part of a column in one row group (Parquet's column chunk). Contains a
// data page and, if it saves space, a dictionary page before it. Offsets in
// `meta` are from the start of `pages`.
struct EncodedChunk {
  std::string pages;
  parquet::ColumnMetaData meta;
};

// Collects the cells of a column, one row group after another. Texts are stored
// as UTF-8 without control characters (AsPlainText). Stores as null: empty
// texts, empty JSON objects, infinities and NaN, and texts in a column of
// numbers. Charges no budget. Not thread-safe.
class ChunkBuilder {
 public:
  // Keeps no reference to `column`.
  explicit ChunkBuilder(const Column& column);

  // Adds the next row's cell. `cell` must fit the column's type (see
  // Cell::Kind). Returns the bytes of memory that the cell takes.
  size_t Add(const Cell& cell) {
    return cell.kind() == Cell::Kind::kAbsent ? AddNull() : AddPresent(cell);
  }
  // Returns the chunk of all cells added since the previous Encode.
  EncodedChunk Encode();

 private:
  // The dictionary's id of a key's text. Valid only in the row group `group`.
  struct KnownKey {
    uint32_t group = 0;
    StringId text = 0;
  };

  size_t AddNull() {
    ++nulls_;
    definitions_.Add(0);
    return 1;
  }
  size_t AddPresent(const Cell& cell);
  size_t AddNumber(uint64_t number);
  size_t AddText(absl::string_view text);
  size_t AddTextOf(const Cell& cell);
  size_t AddStringId(StringId text);
  size_t AddSites(absl::Span<const uint32_t> sites);
  StringId Intern(absl::string_view text);

  // Each appends pages to `*chunk`, with their encodings and statistics.
  void EncodeTexts(EncodedChunk* chunk) const;
  void EncodeNumbers(EncodedChunk* chunk) const;
  void AppendDataPage(parquet::Encoding::type encoding,
                      absl::string_view values, EncodedChunk* chunk) const;
  void SetNumberRange(parquet::Statistics* statistics) const;
  void SetTextRange(parquet::Statistics* statistics) const;

  const std::string name_;
  const StoredType type_;
  size_t nulls_ = 0;
  Levels definitions_, repetitions_;
  std::vector<uint64_t> numbers_;  // or the bits of doubles
  std::vector<uint32_t> texts_;    // in dictionary_
  std::unique_ptr<StringTable> dictionary_;
  size_t new_bytes_ = 0;  // of texts that were added to the dictionary
  uint32_t group_ = 1;
  std::vector<KnownKey> keys_;
  std::string scratch_;
  std::unique_ptr<FieldsText> json_;  // for kJson
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_CHUNK_BUILDER_H_
