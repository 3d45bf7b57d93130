// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/sample_log.h"

#include <algorithm>
#include <cstddef>

namespace perf2x {
namespace {

// Bytes of memory of a lane, with its place in the hash table.
constexpr uint64_t kOfLane = 64;

}  // namespace

void SampleLog::Add(const Sample& sample) {
  if (entries_.size() >= max_entries_) MakeRoom();
  if (entries_.size() == entries_.capacity()) Account();
  // BinOf may change the bins of the entries, so it comes first.
  const int32_t bin = BinOf(sample.time);
  entries_.push_back({bin, LaneOf(sample), sample.stack, 1, sample.period});
}

uint32_t SampleLog::LaneOf(const Sample& sample) {
  const auto is_of = [&](const SampleLane& lane) {
    return lane.cpu == sample.cpu && lane.thread == sample.thread &&
           lane.event == sample.event;
  };
  uint32_t& recent =
      recent_[static_cast<uint32_t>(sample.cpu) % recent_.size()];
  if (recent < lanes_.size() && is_of(lanes_[recent])) return recent;
  const auto [it, inserted] =
      ids_.try_emplace({sample.event, sample.thread, sample.cpu},
                       static_cast<uint32_t>(lanes_.size()));
  if (inserted) lanes_.push_back({sample.event, sample.thread, sample.cpu});
  return recent = it->second;
}

int32_t SampleLog::BinOf(const std::optional<uint64_t>& time) {
  if (!time.has_value()) return kNoBin;
  const auto finest = static_cast<int64_t>(*time / kFinestBin);
  if (!has_origin_) {
    has_origin_ = true;
    origin_ = finest;
  }
  int64_t bin = (finest >> shift_) - origin();
  for (; bin > kMaxDistance || bin < -kMaxDistance;
       bin = (finest >> shift_) - origin()) {
    Widen();
  }
  return static_cast<int32_t>(bin);
}

// Doubles the width of bins. Entries may then be equal.
void SampleLog::Widen() {
  const int64_t old = origin();
  ++shift_;
  for (SampleEntry& entry : entries_) {
    if (entry.bin == kNoBin) continue;
    entry.bin = static_cast<int32_t>(((entry.bin + old) >> 1) - origin());
  }
}

void SampleLog::MakeRoom() {
  Sum();
  while (entries_.size() > max_entries_ / 2 && shift_ < kMaxShift &&
         HasSeveralBins()) {
    Widen();
    Sum();
  }
  // What is left differs in more than time.
  max_entries_ = std::max(max_entries_, 2 * entries_.size());
  Account();
}

void SampleLog::Compact() {
  Sum();
  const auto too_many = [this] {
    int64_t first = kNoBin, last = -kMaxDistance;
    for (const SampleEntry& entry : entries_) {
      if (entry.bin == kNoBin) continue;
      first = std::min<int64_t>(first, entry.bin);
      last = std::max<int64_t>(last, entry.bin);
    }
    return last - first >= kMaxBins;
  };
  while (too_many()) {
    Widen();
    Sum();
  }
  Account();
}

bool SampleLog::HasSeveralBins() const {
  return std::any_of(
      entries_.begin(), entries_.end(), [this](const SampleEntry& entry) {
        return entry.bin != kNoBin && entry.bin != entries_.front().bin;
      });
}

void SampleLog::Sum() {
  const auto key = [](const SampleEntry& e) {
    return std::tuple(e.bin, e.lane, e.place);
  };
  // In order of time but for late samples: sorts the bins one by one.
  const auto begin = entries_.begin(), end = entries_.end();
  if (std::is_sorted(begin, end, [](const auto& a, const auto& b) {
        return a.bin < b.bin;
      })) {
    for (auto from = begin; from != end;) {
      const auto to = std::find_if(
          from, end, [&](const auto& e) { return e.bin != from->bin; });
      std::sort(from, to,
                [&](const auto& a, const auto& b) { return key(a) < key(b); });
      from = to;
    }
  } else {
    std::sort(begin, end,
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
  }
  size_t kept = 0;
  for (const SampleEntry& entry : entries_) {
    SampleEntry* last = kept > 0 ? &entries_[kept - 1] : nullptr;
    if (last != nullptr && key(*last) == key(entry) &&
        entry.samples <= ~0u - last->samples) {
      last->samples += entry.samples;
      last->period = AddPeriods(last->period, entry.period);
    } else {
      entries_[kept++] = entry;
    }
  }
  entries_.resize(kept);
}

void SampleLog::Account() {
  const size_t room = std::max(entries_.capacity(), 2 * entries_.size());
  memory_.Set(room * sizeof(SampleEntry) + lanes_.size() * kOfLane);
}

}  // namespace perf2x
