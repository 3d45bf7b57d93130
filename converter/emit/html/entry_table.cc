// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/entry_table.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace perf2x {

EntryTable::EntryTable(HtmlRecording* recording, size_t events)
    : shift_(recording->bin_shift), units_(events, 1), totals_(events) {
  Fill(*recording);
  SampleEntries().swap(recording->entries);
  Sum();
  FindTotals();
}

// Makes the groups, with the number of entries of each as its end.
void EntryTable::MakeGroups(const HtmlRecording& recording,
                            std::vector<uint32_t>* group_of_lane) {
  const std::vector<SampleLane>& lanes = recording.lanes;
  std::vector<uint32_t> order(lanes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](uint32_t lane) {
    return std::tuple(lanes[lane].event, lanes[lane].thread);
  };
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  group_of_lane->resize(lanes.size());
  for (const uint32_t lane : order) {
    const auto [event, thread] = key(lane);
    if (groups_.empty() || groups_.back().event != event ||
        groups_.back().thread != thread) {
      groups_.emplace_back();
      groups_.back().event = event;
      groups_.back().thread = thread;
    }
    (*group_of_lane)[lane] = static_cast<uint32_t>(groups_.size() - 1);
  }
  for (const SampleEntry& entry : recording.entries) {
    ++groups_[(*group_of_lane)[entry.lane]].end;
  }
}

void EntryTable::FindCpus(const HtmlRecording& recording) {
  for (const SampleLane& lane : recording.lanes) {
    if (lane.cpu >= 0) cpus_.push_back(lane.cpu);
  }
  std::sort(cpus_.begin(), cpus_.end());
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
}

void EntryTable::Fill(const HtmlRecording& recording) {
  int64_t first = SampleLog::kNoBin, last = -1;
  for (const SampleEntry& entry : recording.entries) {
    if (entry.bin == SampleLog::kNoBin) continue;
    first = std::min<int64_t>(first, entry.bin);
    last = std::max<int64_t>(last, entry.bin);
  }
  if (first != SampleLog::kNoBin) {
    first_ = first + recording.origin;
    last = std::max(last, first);
    bins_ = static_cast<uint32_t>(last - first + 1);
  }
  std::vector<uint32_t> group_of_lane;
  MakeGroups(recording, &group_of_lane);
  size_t begin = 0;
  for (Group& group : groups_) {
    group.begin = begin;
    begin += std::exchange(group.end, begin);
  }
  entries_.resize(begin);
  FindCpus(recording);
  std::vector<uint32_t> cpu_of_lane;
  for (const SampleLane& lane : recording.lanes) {
    const auto above = std::upper_bound(cpus_.begin(), cpus_.end(), lane.cpu);
    cpu_of_lane.push_back(static_cast<uint32_t>(above - cpus_.begin()));
  }
  for (const SampleEntry& from : recording.entries) {
    const uint32_t bin = from.bin == SampleLog::kNoBin
                             ? kNoBin
                             : static_cast<uint32_t>(from.bin - first);
    entries_[groups_[group_of_lane[from.lane]].end++] = {
        bin, cpu_of_lane[from.lane], from.place, from.samples, from.period};
  }
}

// Sums entries of the same group, bin, CPU and node. Entries of a group are
// ordered by bin.
void EntryTable::Sum() {
  const auto key = [](const Entry& e) {
    return uint64_t{e.cpu} << 32 | e.node;
  };
  size_t kept = 0;
  for (Group& group : groups_) {
    const size_t first_kept = kept;
    for (size_t begin = group.begin, end; begin < group.end; begin = end) {
      end = begin + 1;
      while (end < group.end && entries_[end].bin == entries_[begin].bin) ++end;
      std::sort(
          &entries_[begin], &entries_[begin] + (end - begin),
          [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
      const size_t first_of_bin = kept;
      for (size_t i = begin; i < end; ++i) {
        Entry* last = kept > first_of_bin ? &entries_[kept - 1] : nullptr;
        if (last != nullptr && key(*last) == key(entries_[i]) &&
            entries_[i].samples <= ~0u - last->samples) {
          last->samples += entries_[i].samples;
          last->period = AddPeriods(last->period, entries_[i].period);
        } else {
          entries_[kept++] = entries_[i];
        }
      }
    }
    group.begin = first_kept;
    group.end = kept;
  }
  entries_.resize(kept);
}

void EntryTable::FindTotals() {
  for (Group& group : groups_) {
    for (size_t i = group.begin; i < group.end; ++i) {
      group.total.samples += entries_[i].samples;
      group.total.period = AddPeriods(group.total.period, entries_[i].period);
    }
    Total& total = totals_[group.event];
    total.samples += group.total.samples;
    total.period = AddPeriods(total.period, group.total.period);
  }
}

// Doubles the width of bins.
void EntryTable::Widen() {
  const int64_t old = first_;
  first_ >>= 1;
  ++shift_;
  const auto wider = [&](uint32_t bin) {
    return static_cast<uint32_t>(((bin + old) >> 1) - first_);
  };
  for (Entry& entry : entries_) {
    if (entry.bin != kNoBin) entry.bin = wider(entry.bin);
  }
  bins_ = wider(bins_ - 1) + 1;
  Sum();
}

// Returns the parts of the periods that exceed samples times the group's least
// period, in the event's unit. What rounding leaves is carried on to the next
// entry of the group.
std::vector<uint64_t> EntryTable::Extras() const {
  std::vector<uint64_t> extras;
  extras.reserve(entries_.size());
  for (const Group& group : groups_) {
    const uint64_t unit = units_[group.event];
    uint64_t carry = 0;
    for (size_t i = group.begin; i < group.end; ++i) {
      const Entry& entry = entries_[i];
      const uint64_t extra = entry.period - entry.samples * group.least;
      // Both are less than 2^63 + 2^63.
      const uint64_t sum = extra + carry;
      extras.push_back(sum / unit);
      carry = sum % unit;
    }
  }
  return extras;
}

// Chooses the units so that a period has about kLevels of them.
void EntryTable::RoundPeriods() {
  constexpr double kLevels = 32;
  std::vector<double> sum(units_.size()), count(units_.size());
  for (const Group& group : groups_) {
    for (size_t i = group.begin; i < group.end; ++i) {
      sum[group.event] += static_cast<double>(
          entries_[i].period - entries_[i].samples * group.least);
      ++count[group.event];
    }
  }
  for (size_t event = 0; event < units_.size(); ++event) {
    units_[event] = 1;
    while (static_cast<double>(units_[event]) * 2 * kLevels * count[event] <=
           sum[event]) {
      units_[event] *= 2;
    }
  }
}

void EntryTable::MakeGroupColumns() {
  const auto add = [&](const char* name, auto value) {
    std::vector<uint64_t> values;
    for (const Group& group : groups_) values.push_back(value(group));
    columns_.emplace_back(name, values);
  };
  add("group.event", [](const Group& g) { return g.event; });
  add("group.thread", [](const Group& g) { return g.thread; });
  add("group.entries", [](const Group& g) { return g.end - g.begin; });
  add("group.samples", [](const Group& g) { return g.total.samples; });
  add("group.period", [](const Group& g) { return g.total.period; });
  add("group.least", [](const Group& g) { return g.least; });
}

// Returns about their size when compressed.
uint64_t EntryTable::MakeColumns() {
  for (Group& group : groups_) {
    group.least = std::numeric_limits<uint64_t>::max();
    for (size_t i = group.begin; i < group.end; ++i) {
      group.least =
          std::min(group.least, entries_[i].period / entries_[i].samples);
    }
  }
  columns_.clear();
  MakeGroupColumns();
  std::vector<uint64_t> values(entries_.size());
  const auto add = [&](const char* name, ColumnCode code, auto value) {
    std::transform(entries_.begin(), entries_.end(), values.begin(), value);
    columns_.emplace_back(name, values, code);
  };
  add("entry.bin", ColumnCode::kDelta, [this](const Entry& e) {
    return uint64_t{e.bin == kNoBin ? bins_ : e.bin};
  });
  add("entry.cpu", ColumnCode::kPlain,
      [](const Entry& e) { return uint64_t{e.cpu}; });
  add("entry.node", ColumnCode::kDelta,
      [](const Entry& e) { return uint64_t{e.node}; });
  add("entry.samples", ColumnCode::kPlain,
      [](const Entry& e) { return uint64_t{e.samples}; });
  columns_.emplace_back("entry.extra", Extras());
  uint64_t size = 0;
  for (const PageColumn& column : columns_)
    size += column.EstimatedCompressedSize();
  return size;
}

void EntryTable::Fit(uint64_t target, size_t max_entries) {
  while (entries_.size() > max_entries && can_widen()) Widen();
  for (;;) {
    std::fill(units_.begin(), units_.end(), 1);
    if (MakeColumns() <= target) return;
    RoundPeriods();
    const bool rounds = std::any_of(units_.begin(), units_.end(),
                                    [](uint64_t unit) { return unit > 1; });
    if (rounds && MakeColumns() <= target) return;
    if (!can_widen()) return;
    Widen();
  }
}

void EntryTable::MoveTo(ColumnBlock* block) {
  for (PageColumn& column : columns_) block->Add(std::move(column));
  columns_.clear();
}

}  // namespace perf2x
