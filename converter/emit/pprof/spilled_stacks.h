// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_SPILLED_STACKS_H_
#define PERF2X_EMIT_PPROF_SPILLED_STACKS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/base/temp_file.h"
#include "converter/emit/sample_rows.h"
#include "converter/model/model.h"

namespace perf2x {

// Stacks with the sums of their samples, in a temporary file. Equal stacks may
// be added many times; they are summed as they are read back. For this, the
// file is in partitions: equal stacks are in the same one, and one partition at
// a time is held in memory. Takes 32 + 4 bytes a frame of the file for a stack
// with one row, and up to 4 MiB of memory before it is read. Not thread-safe.
class SpilledStacks {
 public:
  // The sum of samples with the same stack, labels and event.
  struct Row {
    LabelSetId labels;
    EventId event;
    uint64_t count, value;
  };
  using Use = absl::FunctionRef<absl::Status(absl::Span<const FrameId> frames,
                                             absl::Span<const Row> rows)>;

  // Adds a stack, which must have frames. If the file cannot be made or
  // written, the stack is kept in memory, and status() says why.
  void Add(absl::Span<const FrameId> frames, absl::Span<const Row> rows);
  // Returns the first error of the file.
  const absl::Status& status() const { return status_; }
  // Returns the size of the file in bytes.
  uint64_t file_bytes() const { return file_.has_value() ? file_->size() : 0; }

  // Calls `use` once for each distinct stack, with its rows ordered by labels
  // and event; those with the same are one. The order of stacks depends only on
  // what was added. Returns the first error of `use`, or ResourceExhausted if
  // the file cannot be read. To be called once, last.
  absl::Status Read(Use use);

 private:
  // A stack is the numbers of its frames and rows, its frames, and its rows,
  // each of kRowWords.
  using Words = std::vector<uint32_t>;
  static constexpr size_t kRowWords = 6;
  static constexpr size_t kPartitionBits = 8;
  static constexpr size_t kBlockWords = (16 << 10) / sizeof(uint32_t);
  struct Block {
    uint64_t offset;  // in the file, in bytes
    size_t words;
  };
  struct Partition {
    std::vector<Block> in_file;
    std::vector<Words> in_memory;  // which could not be written
    Words last;                    // not full yet
  };
  class Sums;

  static size_t PartitionOf(absl::Span<const FrameId> frames);
  void Write(Partition& partition);
  absl::Status Append(absl::Span<const uint32_t> words);

  std::array<Partition, size_t{1} << kPartitionBits> partitions_;
  std::optional<TempFile> file_;  // absent: nothing was written
  absl::Status status_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_SPILLED_STACKS_H_
