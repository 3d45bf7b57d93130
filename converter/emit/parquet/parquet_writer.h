// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_PARQUET_WRITER_H_
#define PERF2X_EMIT_PARQUET_PARQUET_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/budget.h"
#include "converter/base/output.h"
#include "converter/emit/parquet/chunk_builder.h"
#include "converter/emit/parquet/chunk_queue.h"
#include "converter/emit/tables/cell.h"
#include "parquet_types.h"

namespace perf2x {

// Writes one table as a Parquet file, a row group at a time. A ChunkQueue,
// which several tables share, encodes the columns of a row group while the next
// one is filled. The number of threads does not change the output.
class ParquetWriter final : public RowSink, private ChunkQueue::Receiver {
 public:
  // Keys and values.
  using Facts = std::vector<std::pair<std::string, std::string>>;

  // `facts` are keys and values that describe the recording. They become the
  // file's key-value metadata. The queue and the budget must outlive the
  // writer. Charges memory, and the work of encoding, to the budget; skips no
  // row.
  ParquetWriter(std::unique_ptr<Output> out, ChunkQueue& queue, Budget& budget,
                const Facts& facts);

  void SetColumns(absl::Span<const Column> columns) override;
  void PrefetchFor(size_t column, const Cell& cell) override {
    columns_[column].PrefetchFor(cell);
  }
  // Adds a row. May write chunks, also of other tables, and then returns the
  // errors of their outputs.
  absl::Status AddRow(absl::Span<const Cell> cells) override;
  // Writes the last row group and the file's footer, and closes `out`.
  absl::Status Close() override;

  // A row group is written when it has kMaxRows rows, or when its cells take
  // kMaxBytes bytes of memory.
  static constexpr size_t kMaxRows = 1 << 17;
  static constexpr size_t kMaxBytes = 32 << 20;

 private:
  absl::Status WriteRowGroup();
  absl::Status OnChunk(size_t column, EncodedChunk chunk,
                       ColumnCells cells) override;
  absl::Status Write(absl::string_view bytes);
  void Account();

  const std::unique_ptr<Output> out_;
  ChunkQueue& queue_;
  Budget& budget_;
  Budget::Share memory_;
  parquet::FileMetaData meta_;
  std::vector<ChunkBuilder> columns_;
  size_t rows_ = 0;           // of the row group
  size_t bytes_ = 0;          // of memory for it
  size_t pending_bytes_ = 0;  // of memory for the row group before it
  size_t chunks_ = 0;
  size_t received_ = 0;  // chunks of queue_
  int64_t written_ = 0;  // bytes of the file
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_PARQUET_WRITER_H_
