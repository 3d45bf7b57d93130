#include "converter/perf/time_order.h"

#include <algorithm>

#include "converter/base/status_macros.h"
#include "converter/perf/wire.h"

namespace perf2x {

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
  entries_.push_back({*time, record.offset, record.index, record.body.data(),
                      static_cast<uint32_t>(record.body.size()), record.type,
                      record.misc, record.stream, Hold(*record.block)});
  return absl::OkStatus();
}

absl::Status TimeOrder::Finish(Out out) { return Flush(~uint64_t{0}, out); }

uint32_t TimeOrder::Hold(const BlockRef& block) {
  if (blocks_.empty() || !(blocks_.back() == block)) blocks_.push_back(block);
  return blocks_begin_ + static_cast<uint32_t>(blocks_.size() - 1);
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
    spare_.clear();
    spare_.reserve(entries_.size());
    run_starts_.push_back(entries_.size());
    size_t kept = 0;
    for (size_t i = 0; i + 1 < run_starts_.size(); i += 2) {
      const auto begin = entries_.begin();
      const auto first = begin + run_starts_[i];
      const auto second = begin + run_starts_[i + 1];
      const bool pair = i + 2 < run_starts_.size();
      const auto end = pair ? begin + run_starts_[i + 2] : second;
      run_starts_[kept++] = spare_.size();
      std::merge(first, second, second, end, std::back_inserter(spare_),
                 earlier);
    }
    run_starts_.resize(kept);
    entries_.swap(spare_);
  }
}

absl::Status TimeOrder::Flush(uint64_t limit, Out out) {
  Sort();
  size_t done = 0;
  for (; done < entries_.size() && entries_[done].time <= limit; ++done) {
    const Entry& e = entries_[done];
    RawRecord record;
    record.type = e.type;
    record.misc = e.misc;
    record.stream = e.stream;
    record.order = order_;
    record.body = {e.body, e.size};
    record.offset = e.offset;
    record.index = e.index;
    record.block = &blocks_[e.block - blocks_begin_];
    RETURN_IF_ERROR(out(record, e.time));
  }
  if (done > 0)
    last_flushed_ = std::max(last_flushed_, entries_[done - 1].time);
  entries_.erase(entries_.begin(), entries_.begin() + done);

  uint32_t oldest = blocks_begin_ + static_cast<uint32_t>(blocks_.size());
  for (const Entry& e : entries_) oldest = std::min(oldest, e.block);
  // The last block stays, the next record is likely to lie in it.
  while (blocks_.size() > 1 && blocks_begin_ < oldest) {
    blocks_.pop_front();
    ++blocks_begin_;
  }
  return absl::OkStatus();
}

}  // namespace perf2x
