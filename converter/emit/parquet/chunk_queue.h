// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_CHUNK_QUEUE_H_
#define PERF2X_EMIT_PARQUET_CHUNK_QUEUE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/ordered_chunks.h"
#include "converter/emit/parquet/chunk_encoder.h"

namespace perf2x {

// Encodes the chunks of several files on other threads, while the caller fills
// the next row groups. All calls must come from one thread at a time.
class ChunkQueue {
 public:
  // Receives the encoded chunks of one file.
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // Called in the order of Push, by Push and Finish.
    virtual absl::Status OnChunk(size_t column, EncodedChunk chunk,
                                 ColumnCells cells) = 0;
  };

  // Threads of `helpers` encode. Without them, Push does all the work.
  explicit ChunkQueue(HelperPool* helpers)
      : has_helpers_(helpers != nullptr && helpers->size() > 0),
        tasks_(
            helpers, [](Task& task) { return task.Forward(); },
            Task(encoders_)) {}

  // Encodes the cells of a column, and later passes the result to `to`, which
  // must exist until then. Returns the first error of any receiver; no receiver
  // gets more chunks after it.
  absl::Status Push(Receiver& to, size_t column, ColumnCells cells) {
    Task& task = tasks_.chunk();
    task.Set(to, column, std::move(cells));
    if (has_helpers_) return tasks_.Push();
    task.Work();
    absl::Status status = task.Forward();
    task.Clear();
    return status;
  }
  // Passes all chunks to their receivers.
  absl::Status Finish() { return tasks_.Finish(); }

 private:
  // Encoders that no thread uses.
  class Encoders {
   public:
    std::unique_ptr<ChunkEncoder> Take() {
      std::lock_guard lock(mutex_);
      if (free_.empty()) return std::make_unique<ChunkEncoder>();
      auto encoder = std::move(free_.back());
      free_.pop_back();
      return encoder;
    }
    void Return(std::unique_ptr<ChunkEncoder> encoder) {
      std::lock_guard lock(mutex_);
      free_.push_back(std::move(encoder));
    }

   private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<ChunkEncoder>> free_;
  };

  // See OrderedChunks.
  class Task {
   public:
    explicit Task(Encoders& encoders) : encoders_(&encoders) {}
    void Set(Receiver& to, size_t column, ColumnCells cells) {
      to_ = &to;
      column_ = column;
      cells_ = std::move(cells);
    }
    void Work() {
      std::unique_ptr<ChunkEncoder> encoder = encoders_->Take();
      chunk_ = encoder->Encode(cells_);
      encoders_->Return(std::move(encoder));
    }
    absl::Status Forward() {
      return to_->OnChunk(column_, std::move(chunk_), std::move(cells_));
    }
    void Clear() {
      chunk_ = EncodedChunk();
      cells_ = ColumnCells();
    }

   private:
    Encoders* encoders_;
    Receiver* to_ = nullptr;
    size_t column_ = 0;
    ColumnCells cells_;
    EncodedChunk chunk_;
  };

  // About as many as the columns of all tables: each has cells of one row group
  // here, and of one that is being filled.
  static constexpr size_t kChunks = 64;

  const bool has_helpers_;
  Encoders encoders_;
  OrderedChunks<Task, kChunks> tasks_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_CHUNK_QUEUE_H_
