#include "converter/perf/time_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/perf/wire.h"

namespace perf2x {
namespace {

// Less is not worth a file.
constexpr uint64_t kLeastMemory = 4 << 20;

}  // namespace

TimeOrder::TimeOrder(bool full, uint64_t max_memory)
    : full_(full), max_memory_(std::max(max_memory, kLeastMemory)) {}

absl::Status TimeOrder::Add(const RawRecord& record,
                            std::optional<uint64_t> time, Out out) {
  if (record.type == kRecordFinishedRound && !full_) {
    RETURN_IF_ERROR(Flush(next_limit_, out));
    next_limit_ = round_max_;
  }
  if (!time) return out(record, time);
  if (*time < last_flushed_) ++late_;
  round_max_ = std::max(round_max_, *time);
  order_ = record.order;
  // In place: an entry that was put together elsewhere in small pieces cannot
  // be copied in large ones at once.
  Entry& e = entries_.emplace_back();
  e.time = *time;
  e.offset = record.offset;
  e.index = record.index;
  e.body = record.body.data();
  e.size = static_cast<uint32_t>(record.body.size());
  e.type = record.type;
  e.misc = record.misc;
  e.stream = record.stream;
  e.block = Hold(*record.block);
  // Sorting takes as much again.
  const uint64_t held = block_bytes_ + entries_.size() * 2 * sizeof(Entry);
  return held > max_memory_ ? Spill() : absl::OkStatus();
}

absl::Status TimeOrder::Finish(Out out) {
  RETURN_IF_ERROR(Flush(~uint64_t{0}, out));
  entries_ = std::vector<Entry>();  // `= {}` would keep the memory
  spare_ = std::vector<Entry>();
  return absl::OkStatus();
}

uint32_t TimeOrder::Hold(const BlockRef& block) {
  if (blocks_.empty() || !(blocks_.back().block == block)) {
    blocks_.push_back({block, block->stable() ? 0 : block->bytes().size()});
    block_bytes_ += blocks_.back().memory;
  }
  return blocks_begin_ + static_cast<uint32_t>(blocks_.size() - 1);
}

// Moves all that is held to the temporary file.
absl::Status TimeOrder::Spill() {
  if (!file_.has_value()) {
    ASSIGN_OR_RETURN(TempFile file, TempFile::Make());
    file_.emplace(std::move(file));
  }
  RETURN_IF_ERROR(SpillBlocks());
  Sort();
  Run run;
  run.oldest_block = ~0u;
  for (const Entry& e : entries_) {
    run.oldest_block = std::min(run.oldest_block, e.block);
  }
  file_->AlignToPage();
  const uint64_t begin = file_->size();
  RETURN_IF_ERROR(
      file_->Append({reinterpret_cast<const uint8_t*>(entries_.data()),
                     entries_.size() * sizeof(Entry)}));
  ASSIGN_OR_RETURN(run.block, file_->Map(begin, /*stable=*/false));
  run.at = reinterpret_cast<const Entry*>(run.block->bytes().data());
  run.end = run.at + entries_.size();
  runs_.push_back(std::move(run));
  entries_ = std::vector<Entry>();  // `= {}` would keep the memory
  spare_ = std::vector<Entry>();
  return absl::OkStatus();
}

// One mapping takes the place of all blocks in memory: there may be more blocks
// than a process can have mappings.
absl::Status TimeOrder::SpillBlocks() {
  if (block_bytes_ == 0) return absl::OkStatus();
  file_->AlignToPage();
  const uint64_t begin = file_->size();
  std::vector<uint64_t> place(blocks_.size());  // in the mapping
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].memory == 0) continue;
    place[i] = file_->size() - begin;
    RETURN_IF_ERROR(file_->Append(blocks_[i].block->bytes()));
  }
  ASSIGN_OR_RETURN(const BlockRef mapped, file_->Map(begin, /*stable=*/false));
  for (Entry& e : entries_) {
    const size_t i = e.block - blocks_begin_;
    if (blocks_[i].memory == 0) continue;
    const uint8_t* was = blocks_[i].block->bytes().data();
    e.body = mapped->bytes().data() + place[i] + (e.body - was);
  }
  for (Held& held : blocks_) {
    if (held.memory != 0) held = {mapped, 0};
  }
  block_bytes_ = 0;
  return absl::OkStatus();
}

// Sorts entries_ by time, keeping the order of equal ones. What came in since
// the last time is a few ascending runs, one for each buffer of the kernel, so
// neighbouring runs are merged until one is left.
void TimeOrder::Sort() {
  auto earlier = [](const Entry& a, const Entry& b) { return a.time < b.time; };
  run_starts_.clear();
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (i == 0 || earlier(entries_[i], entries_[i - 1])) {
      run_starts_.push_back(i);
    }
  }
  while (run_starts_.size() > 1) {
    spare_.resize(entries_.size());
    auto to = spare_.begin();
    run_starts_.push_back(entries_.size());
    size_t kept = 0;
    for (size_t i = 0; i + 1 < run_starts_.size(); i += 2) {
      const auto begin = entries_.begin();
      const auto first = begin + run_starts_[i];
      const auto second = begin + run_starts_[i + 1];
      const bool pair = i + 2 < run_starts_.size();
      const auto end = pair ? begin + run_starts_[i + 2] : second;
      run_starts_[kept++] = static_cast<size_t>(to - spare_.begin());
      to = std::merge(first, second, second, end, to, earlier);
    }
    run_starts_.resize(kept);
    entries_.swap(spare_);
  }
}

absl::Status TimeOrder::Give(const Entry& e, Out out) {
  RawRecord record;
  record.type = e.type;
  record.misc = e.misc;
  record.stream = e.stream;
  record.order = order_;
  record.body = {e.body, e.size};
  record.offset = e.offset;
  record.index = e.index;
  record.block = &blocks_[e.block - blocks_begin_].block;
  last_flushed_ = std::max(last_flushed_, e.time);
  return out(record, e.time);
}

absl::Status TimeOrder::Flush(uint64_t limit, Out out) {
  Sort();
  if (!runs_.empty()) {
    RETURN_IF_ERROR(FlushMerged(limit, out));
  } else {
    size_t done = 0;
    for (; done < entries_.size() && entries_[done].time <= limit; ++done) {
      RETURN_IF_ERROR(Give(entries_[done], out));
    }
    entries_.erase(entries_.begin(), entries_.begin() + done);
  }
  Release();
  return absl::OkStatus();
}

// Flush of what is ordered in several runs, the last one in memory.
absl::Status TimeOrder::FlushMerged(uint64_t limit, Out out) {
  Run in_memory;
  in_memory.at = entries_.data();
  in_memory.end = in_memory.at + entries_.size();
  const auto run = [&](size_t i) -> Run& {
    return i < runs_.size() ? runs_[i] : in_memory;
  };
  // The next entry of each run, the earliest one on top; of equal ones, that of
  // the first run.
  using Next = std::pair<uint64_t, size_t>;  // time, run
  std::priority_queue<Next, std::vector<Next>, std::greater<Next>> heap;
  const auto put = [&](size_t i) {
    const Run& r = run(i);
    if (r.at != r.end && r.at->time <= limit) heap.emplace(r.at->time, i);
  };
  for (size_t i = 0; i <= runs_.size(); ++i) put(i);
  while (!heap.empty()) {
    const size_t i = heap.top().second;
    heap.pop();
    RETURN_IF_ERROR(Give(*run(i).at++, out));
    put(i);
  }
  entries_.erase(entries_.begin(),
                 entries_.begin() + (in_memory.at - entries_.data()));
  runs_.erase(std::remove_if(runs_.begin(), runs_.end(),
                             [](const Run& r) { return r.at == r.end; }),
              runs_.end());
  if (runs_.empty()) file_.reset();
  return absl::OkStatus();
}

// Drops the blocks that no entry lies in any more.
void TimeOrder::Release() {
  uint32_t oldest = blocks_begin_ + static_cast<uint32_t>(blocks_.size());
  for (const Entry& e : entries_) oldest = std::min(oldest, e.block);
  for (const Run& run : runs_) oldest = std::min(oldest, run.oldest_block);
  // The last block stays, the next record is likely to lie in it.
  while (blocks_.size() > 1 && blocks_begin_ < oldest) {
    block_bytes_ -= blocks_.front().memory;
    blocks_.pop_front();
    ++blocks_begin_;
  }
}

}  // namespace perf2x
