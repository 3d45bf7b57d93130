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
#include "converter/emit/parquet/number_dictionary.h"
#include "converter/emit/tables/cell.h"
#include "parquet_types.h"

struct ZSTD_CCtx_s;  // of <zstd.h>

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

// Memory for ChunkBuilder::Encode, to be used for one column after another:
// fresh memory costs more than what is done in it. Not thread-safe.
class EncodeBuffers {
 public:
  EncodeBuffers();
  ~EncodeBuffers();
  EncodeBuffers(const EncodeBuffers&) = delete;
  EncodeBuffers& operator=(const EncodeBuffers&) = delete;

 private:
  friend class ChunkBuilder;
  // Appends a page of the bytes in `page_` to `*chunk`: its header, then the
  // compressed bytes.
  void AppendPage(parquet::PageHeader header, EncodedChunk* chunk);
  // As above, of a dictionary of `count` values, which comes first.
  void AppendDictionaryPage(size_t count, EncodedChunk* chunk);

  std::string page_, packed_;
  NumberDictionary dictionary_;
  ZSTD_CCtx_s* const zstd_;
};

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
    switch (cell.kind()) {
      case Cell::Kind::kAbsent:
        return 0;
      case Cell::Kind::kNumber:
      case Cell::Kind::kSigned:
      case Cell::Kind::kHex:
      case Cell::Kind::kPath:
        if (dictionary_ == nullptr) return AddNumber(row, cell.number());
        break;
      case Cell::Kind::kText:
        if (cell.key() < keys_.size() && keys_[cell.key()].group == group_) {
          return AddStringId(row, keys_[cell.key()].text);
        }
        break;
      default:
        break;
    }
    return AddOther(row, cell);
  }
  // Returns the chunk of the next row group, which has `rows` rows.
  EncodedChunk Encode(size_t rows, EncodeBuffers* buffers);

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
  size_t AddNumber(size_t row, uint64_t number) {
    FillTo(row);
    ++rows_;
    definitions_.Add(1);
    numbers_.push_back(number);
    return sizeof(number);
  }
  // The empty string is the first one of a StringTable, and a null.
  size_t AddStringId(size_t row, StringId text) {
    if (text == 0) return 0;
    FillTo(row);
    ++rows_;
    definitions_.Add(1);
    texts_.push_back(text - 1);
    return sizeof(text);
  }
  size_t AddOther(size_t row, const Cell& cell);
  size_t AddTextOf(size_t row, const Cell& cell);
  size_t AddText(size_t row, absl::string_view text);
  size_t AddSites(size_t row, absl::Span<const uint32_t> sites);
  StringId Intern(absl::string_view text);

  // Each appends pages to `*chunk`, with their encodings, and sets the range of
  // the values.
  void EncodeTexts(EncodeBuffers* buffers, EncodedChunk* chunk,
                   parquet::Statistics* range) const;
  void EncodeNumbers(EncodeBuffers* buffers, EncodedChunk* chunk,
                     parquet::Statistics* range) const;
  // Begins a page of values in `*page`: with the levels.
  void BeginDataPage(std::string* page) const;
  void AppendDataPage(parquet::Encoding::type encoding, EncodeBuffers* buffers,
                      EncodedChunk* chunk) const;
  void SetNumberRange(absl::Span<const uint64_t> numbers,
                      parquet::Statistics* range) const;
  void SetTextRange(parquet::Statistics* range) const;

  const std::string name_;
  const StoredType type_;
  size_t rows_ = 0;  // that have a value or a null
  size_t nulls_ = 0;
  Levels definitions_, repetitions_;
  std::vector<uint64_t> numbers_;  // or the bits of doubles
  std::vector<uint32_t> texts_;    // in dictionary_
  std::unique_ptr<StringTable> dictionary_;
  StringId last_text_ = 0;  // of AddText in this row group; 0: none, or empty
  size_t new_bytes_ = 0;    // of texts that were added to the dictionary
  uint32_t group_ = 1;
  std::vector<KnownKey> keys_;
  std::string scratch_;
  std::unique_ptr<FieldsText> json_;  // for kJson
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_CHUNK_BUILDER_H_
