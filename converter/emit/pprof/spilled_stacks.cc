// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/spilled_stacks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/status_macros.h"

namespace perf2x {

// The stacks of one partition, while it is read.
class SpilledStacks::Sums {
 public:
  // Adds the stacks of a block, whose memory must not change until Use.
  void Add(absl::Span<const uint32_t> block);
  absl::Status Use(SpilledStacks::Use use);

 private:
  struct Stack {
    absl::Span<const FrameId> frames;
    uint32_t first_row;  // in rows_
  };
  struct NextRow {
    Row row;
    uint32_t next;  // in rows_; kNoId: none
  };
  void LoadRows(uint32_t first);

  absl::flat_hash_map<absl::string_view, uint32_t> stack_of_;  // by frames
  std::vector<Stack> stacks_;
  std::vector<NextRow> rows_;
  std::vector<Row> of_stack_;
};

void SpilledStacks::Sums::Add(absl::Span<const uint32_t> block) {
  while (block.size() >= 2) {
    const uint32_t frame_count = block[0], row_count = block[1];
    const auto frames = block.subspan(2, frame_count);
    block.remove_prefix(2 + frame_count);
    const absl::string_view key(reinterpret_cast<const char*>(frames.data()),
                                frames.size() * sizeof(frames[0]));
    const auto [it, inserted] =
        stack_of_.try_emplace(key, static_cast<uint32_t>(stacks_.size()));
    if (inserted) stacks_.push_back({frames, kNoId});
    uint32_t& first = stacks_[it->second].first_row;
    for (uint32_t i = 0; i < row_count; ++i) {
      NextRow& added = rows_.emplace_back();
      std::memcpy(&added.row, block.data(), sizeof(added.row));
      block.remove_prefix(kRowWords);
      added.next =
          std::exchange(first, static_cast<uint32_t>(rows_.size()) - 1);
    }
  }
}

// Sets of_stack_ to the rows of a list, in order and summed.
void SpilledStacks::Sums::LoadRows(uint32_t first) {
  of_stack_.clear();
  for (uint32_t at = first; at != kNoId; at = rows_[at].next) {
    of_stack_.push_back(rows_[at].row);
  }
  const auto key = [](const Row& row) {
    return std::tie(row.labels, row.event);
  };
  std::sort(of_stack_.begin(), of_stack_.end(),
            [&](const Row& a, const Row& b) { return key(a) < key(b); });
  size_t summed = 0;
  for (size_t i = 1; i < of_stack_.size(); ++i) {
    Row& last = of_stack_[summed];
    if (key(last) == key(of_stack_[i])) {
      last.count += of_stack_[i].count;
      last.value = SumOfPeriods(last.value, of_stack_[i].value);
    } else {
      of_stack_[++summed] = of_stack_[i];
    }
  }
  if (!of_stack_.empty()) of_stack_.resize(summed + 1);
}

absl::Status SpilledStacks::Sums::Use(SpilledStacks::Use use) {
  for (const Stack& stack : stacks_) {
    LoadRows(stack.first_row);
    RETURN_IF_ERROR(use(stack.frames, of_stack_));
  }
  return absl::OkStatus();
}

// Must not differ between processes, as HashBytes does: the order of partitions
// is that of the output.
size_t SpilledStacks::PartitionOf(absl::Span<const FrameId> frames) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = frames.size();
  for (const FrameId frame : frames) {
    hash = (std::rotl(hash, 23) ^ frame) * kOdd;
  }
  return hash >> (64 - kPartitionBits);
}

void SpilledStacks::Add(absl::Span<const FrameId> frames,
                        absl::Span<const Row> rows) {
  static_assert(sizeof(FrameId) == sizeof(uint32_t) &&
                sizeof(Row) == kRowWords * sizeof(uint32_t));
  Partition& partition = partitions_[PartitionOf(frames)];
  Words& words = partition.last;
  words.push_back(static_cast<uint32_t>(frames.size()));
  words.push_back(static_cast<uint32_t>(rows.size()));
  words.insert(words.end(), frames.begin(), frames.end());
  const auto* row_words = reinterpret_cast<const uint32_t*>(rows.data());
  words.insert(words.end(), row_words, row_words + rows.size() * kRowWords);
  if (words.size() >= kBlockWords) Write(partition);
}

void SpilledStacks::Write(Partition& partition) {
  const Block block = {file_bytes(), partition.last.size()};
  if (status_.ok()) status_ = Append(partition.last);
  if (status_.ok()) {
    partition.in_file.push_back(block);
    partition.last.clear();
  } else {
    partition.in_memory.push_back(std::move(partition.last));
    partition.last = Words();
  }
}

absl::Status SpilledStacks::Append(absl::Span<const uint32_t> words) {
  if (!file_.has_value()) {
    ASSIGN_OR_RETURN(file_, TempFile::Make());
  }
  return file_->Append({reinterpret_cast<const uint8_t*>(words.data()),
                        words.size() * sizeof(words[0])});
}

absl::Status SpilledStacks::Read(Use use) {
  BlockRef mapped;
  if (file_.has_value()) {
    ASSIGN_OR_RETURN(mapped, file_->Map(0, /*stable=*/true));
  }
  for (Partition& partition : partitions_) {
    Sums sums;
    for (const Block& block : partition.in_file) {
      const uint8_t* bytes = mapped->bytes().data() + block.offset;
      sums.Add({reinterpret_cast<const uint32_t*>(bytes), block.words});
    }
    for (const Words& words : partition.in_memory) sums.Add(words);
    sums.Add(partition.last);
    RETURN_IF_ERROR(sums.Use(use));
    if (mapped && mapped->has_lost_bytes()) {
      return absl::ResourceExhaustedError("cannot read a temporary file");
    }
    partition = Partition();
  }
  return absl::OkStatus();
}

}  // namespace perf2x
