// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_CHUNK_ENCODER_H_
#define PERF2X_EMIT_PARQUET_CHUNK_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/string_table.h"
#include "converter/emit/parquet/level_encoding.h"
#include "converter/emit/parquet/number_dictionary.h"
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

// The cells of a column in one row group.
struct ColumnCells {
  StoredType type;
  size_t nulls = 0;
  Levels definitions, repetitions;
  std::vector<uint64_t> numbers;  // or the bits of doubles
  // Of texts: by cell, the place in the dictionary; then the dictionary, in
  // which the first string, the empty one, has no place.
  std::vector<uint32_t> texts;
  std::shared_ptr<const StringTable> dictionary;  // null: numbers

  // Removes all cells and keeps their memory.
  void Clear();
};

// The part of a column in one row group (Parquet's column chunk). Contains a
// data page and, if it saves space, a dictionary page before it. Offsets in
// `meta` are from the start of `pages`. `meta` has no path yet.
struct EncodedChunk {
  std::string pages;
  parquet::ColumnMetaData meta;
};

// Encodes chunks. Keeps its memory for the next one: fresh memory costs more
// than what is done in it. Not thread-safe.
class ChunkEncoder {
 public:
  ChunkEncoder();
  ~ChunkEncoder();
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  EncodedChunk Encode(const ColumnCells& cells);

 private:
  // Each appends pages to `*chunk`, with their encodings, and sets the range of
  // the values.
  void EncodeTexts(const ColumnCells& cells, EncodedChunk* chunk,
                   parquet::Statistics* range);
  void EncodeNumbers(const ColumnCells& cells, EncodedChunk* chunk,
                     parquet::Statistics* range);
  // Begins a page of values in page_: with the levels.
  void BeginDataPage(const ColumnCells& cells);
  void AppendDataPage(const ColumnCells& cells,
                      parquet::Encoding::type encoding, EncodedChunk* chunk);
  // Appends a page of the bytes in page_ to `*chunk`: its header, then the
  // compressed bytes.
  void AppendPage(parquet::PageHeader header, EncodedChunk* chunk);
  // As above, of a dictionary of `count` values, which comes first.
  void AppendDictionaryPage(size_t count, EncodedChunk* chunk);

  std::string page_, packed_;
  NumberDictionary dictionary_;
  ZSTD_CCtx_s* const zstd_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_CHUNK_ENCODER_H_
