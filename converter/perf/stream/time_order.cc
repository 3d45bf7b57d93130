// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/time_order.h"

#include <array>
#include <utility>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// A lower limit is not worth a temporary file.
constexpr uint64_t kLeastMemory = 4 << 20;
// Bytes of memory per run, with those for merging it.
constexpr uint64_t kBytesOfRun = 128;
// Few enough to be still in the cache when they are used.
constexpr size_t kGivenAtATime = 512;

}  // namespace

TimeOrder::TimeOrder(bool full, uint64_t max_memory, Budget& budget)
    : full_(full),
      max_memory_(std::max(max_memory, kLeastMemory)),
      budget_(budget) {}

void TimeOrder::StartRun() {
  std::vector<Chunk>& chunks = open_.chunks;
  if (chunks.empty() || chunks.back().size() == kInChunk) {
    if (unused_.empty()) {
      chunks.emplace_back().reserve(kInChunk);
    } else {
      chunks.push_back(std::move(unused_.back()));
      unused_.pop_back();
    }
  }
  const TimedRecord* at = chunks.back().data() + chunks.back().size();
  open_.runs.push_back({at, at});
  held_ += kBytesOfRun;
}

void TimeOrder::HoldNew(const BlockRef& block) {
  blocks_.push_back(block);
  memory_.push_back(block->stable() ? 0 : block->bytes().size());
  held_ += memory_.back();
}

absl::Status TimeOrder::EndRound(Out out) {
  if (full_) return absl::OkStatus();
  const uint64_t limit = std::exchange(next_limit_, newest_);
  Close();
  return Flush(limit, out);
}

absl::Status TimeOrder::Finish(Out out) {
  Close();
  RETURN_IF_ERROR(Flush(~uint64_t{0}, out));
  unused_ = std::vector<Chunk>();  // `= {}` would keep the memory
  return absl::OkStatus();
}

// Ends the open round.
void TimeOrder::Close() {
  if (open_.chunks.empty()) return;
  open_.oldest_block = open_.chunks.front().front().block;
  rounds_.push_back(std::exchange(open_, Round()));
}

// Passes all records up to time `limit` to `out`.
absl::Status TimeOrder::Flush(uint64_t limit, Out out) {
  std::vector<Run*> runs;
  for (Round& round : rounds_) {
    for (Run& run : round.runs) {
      if (run.at != run.end) runs.push_back(&run);
    }
  }
  RunMerge merge(std::move(runs));
  std::array<const TimedRecord*, kGivenAtATime> records;
  for (uint64_t given = 0;;) {
    size_t n = 0;
    while (n < records.size() && (records[n] = merge.Next(limit))) ++n;
    if (n == 0) break;
    last_passed_ = std::max(last_passed_, records[n - 1]->time);
    RETURN_IF_ERROR(
        out({absl::MakeConstSpan(records.data(), n), blocks_, blocks_begin_}));
    given += n;
    constexpr uint64_t kSometimes = 32 * kGivenAtATime;
    if (given % kSometimes == 0) ReleaseSpilled();
  }
  DropPassed();
  return absl::OkStatus();
}

// Records in the temporary file that were passed on need not stay in memory.
void TimeOrder::ReleaseSpilled() {
  for (Round& round : rounds_) {
    if (!round.spilled) continue;
    const absl::Span<const uint8_t> all = round.spilled->bytes();
    const auto* at = reinterpret_cast<const uint8_t*>(round.runs.front().at);
    const auto given = static_cast<size_t>(at - all.data());
    round.spilled->Release(all.subspan(round.released, given - round.released));
    round.released = given;
  }
}

// Drops rounds whose records were all passed on, and blocks that no record lies
// in any more.
void TimeOrder::DropPassed() {
  const auto all_given = [](const Round& round) {
    return std::all_of(round.runs.begin(), round.runs.end(),
                       [](const Run& run) { return run.at == run.end; });
  };
  for (Round& round : rounds_) {
    if (!all_given(round) || round.spilled) continue;
    held_ -= round.runs.size() * kBytesOfRun;
    for (Chunk& chunk : round.chunks) {
      held_ -= chunk.size() * sizeof(TimedRecord);
      chunk.clear();
      unused_.push_back(std::move(chunk));
    }
  }
  std::erase_if(rounds_, all_given);
  const bool any_spilled =
      std::any_of(rounds_.begin(), rounds_.end(),
                  [](const Round& round) { return bool{round.spilled}; });
  if (!any_spilled) file_.reset();
  // The last block stays, the next record is likely to lie in it.
  uint32_t oldest = newest_block();
  for (const Round& round : rounds_) {
    oldest = std::min(oldest, round.oldest_block);
  }
  if (blocks_.empty()) return;
  const ptrdiff_t given = oldest - blocks_begin_;
  for (ptrdiff_t i = 0; i < given; ++i) held_ -= memory_[i];
  blocks_.erase(blocks_.begin(), blocks_.begin() + given);
  memory_.erase(memory_.begin(), memory_.begin() + given);
  blocks_begin_ = oldest;
}

// Frees the memory of all held records and blocks: moves them to the temporary
// file or, if that would become too large, passes them on.
absl::Status TimeOrder::MakeRoom(Out out) {
  const uint64_t spilled = file_.has_value() ? file_->size() : 0;
  if (spilled + held_ <= budget_.Limit(Budget::kOutput) / 2) return Spill();
  Close();
  return Flush(~uint64_t{0}, out);
}

// Moves all held records and blocks to the temporary file.
absl::Status TimeOrder::Spill() {
  if (!file_.has_value()) {
    ASSIGN_OR_RETURN(TempFile file, TempFile::Make());
    file_.emplace(std::move(file));
  }
  Close();
  RETURN_IF_ERROR(SpillBlocks());
  std::vector<Run*> runs;
  Round spilled;
  spilled.oldest_block = newest_block();
  for (Round& round : rounds_) {
    if (round.spilled) continue;
    spilled.oldest_block = std::min(spilled.oldest_block, round.oldest_block);
    for (Run& run : round.runs) runs.push_back(&run);
  }
  file_->AlignToPage();
  const uint64_t begin = file_->size();
  constexpr size_t kAtATime = 4096;
  std::vector<TimedRecord> ordered;
  ordered.reserve(kAtATime);
  const auto write = [&] {
    const auto* bytes = reinterpret_cast<const uint8_t*>(ordered.data());
    return file_->Append({bytes, ordered.size() * sizeof(TimedRecord)});
  };
  RunMerge merge(std::move(runs));
  while (const TimedRecord* record = merge.Next(~uint64_t{0})) {
    ordered.push_back(*record);
    if (ordered.size() < kAtATime) continue;
    RETURN_IF_ERROR(write());
    ordered.clear();
  }
  RETURN_IF_ERROR(write());
  ASSIGN_OR_RETURN(spilled.spilled, file_->Map(begin, /*stable=*/false));
  const absl::Span<const uint8_t> bytes = spilled.spilled->bytes();
  const auto* first = reinterpret_cast<const TimedRecord*>(bytes.data());
  spilled.runs.push_back({first, first + bytes.size() / sizeof(TimedRecord)});
  rounds_.push_back(std::move(spilled));
  DropPassed();
  unused_ = std::vector<Chunk>();  // `= {}` would keep the memory
  return absl::OkStatus();
}

// One mapping takes the place of all blocks in memory: there may be more blocks
// than a process can have mappings.
absl::Status TimeOrder::SpillBlocks() {
  if (std::all_of(memory_.begin(), memory_.end(),
                  [](uint64_t memory) { return memory == 0; })) {
    return absl::OkStatus();
  }
  file_->AlignToPage();
  const uint64_t begin = file_->size();
  std::vector<uint64_t> place(blocks_.size());  // offsets in the mapping
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (memory_[i] == 0) continue;
    place[i] = file_->size() - begin;
    RETURN_IF_ERROR(file_->Append(blocks_[i]->bytes()));
  }
  ASSIGN_OR_RETURN(const BlockRef mapped, file_->Map(begin, /*stable=*/false));
  for (Round& round : rounds_) {
    for (Chunk& chunk : round.chunks) {
      for (TimedRecord& r : chunk) {
        const size_t i = r.block - blocks_begin_;
        if (memory_[i] == 0) continue;
        const uint8_t* was = blocks_[i]->bytes().data();
        r.body = mapped->bytes().data() + place[i] + (r.body - was);
      }
    }
  }
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (memory_[i] == 0) continue;
    held_ -= std::exchange(memory_[i], 0);
    blocks_[i] = mapped;
  }
  return absl::OkStatus();
}

}  // namespace perf2x
