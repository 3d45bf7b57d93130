// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/sample_log.h"

#include <algorithm>
#include <cstddef>

#include "converter/base/saturating_add.h"

namespace perf2x {
namespace {

// Bytes of memory of a lane, with its place in the hash table.
constexpr uint64_t kOfLane = 64;

}  // namespace

void SampleLog::Add(const Sample& sample) {
  const SampleNotes::Note note = {
      sample.time.has_value(),
      static_cast<int64_t>(sample.time.value_or(0) / kFinestBin),
      LaneOf(sample), sample.stack, sample.period};
  if (sums_ || sample.count > 1) {
    Append(note, note.stack, sample.count);
    return;
  }
  const uint64_t before = notes_.memory();
  notes_.Add(note);
  if (notes_.memory() == before) return;
  Account();
  if (before >= max_entries_ * kNoteBytes) {
    sums_ = true;
    SumNotes({});
  }
}

// Without `place_of`, places are stacks.
void SampleLog::SumNotes(absl::Span<const uint32_t> place_of) {
  notes_.Drain([&](const SampleNotes::Note& note) {
    Append(note, place_of.empty() ? note.stack : place_of[note.stack], 1);
  });
  CloseBin();
}

void SampleLog::Append(const SampleNotes::Note& note, uint32_t place,
                       uint64_t samples) {
  constexpr uint32_t kMax = ~uint32_t{0};
  AppendEntry(note, place,
              static_cast<uint32_t>(std::min<uint64_t>(samples, kMax)));
  if (samples <= kMax) return;
  // The first entry has the whole period.
  SampleNotes::Note further = note;
  further.period = 0;
  for (samples -= kMax; samples > 0 && further_ < kMaxFurtherEntries;
       ++further_) {
    const uint64_t part = std::min<uint64_t>(samples, kMax);
    AppendEntry(further, place, static_cast<uint32_t>(part));
    samples -= part;
  }
  uncounted_ = SaturatingAdd(uncounted_, samples);
}

void SampleLog::AppendEntry(const SampleNotes::Note& note, uint32_t place,
                            uint32_t samples) {
  if (entries_.size() >= max_entries_) MakeRoom();
  if (entries_.size() == entries_.capacity()) Account();
  // BinOf may change the bins of the entries, so it comes first.
  const int32_t bin = note.has_time ? BinOf(note.bin) : kNoBin;
  if (open_ < entries_.size() && entries_.back().bin != bin) CloseBin();
  entries_.push_back({bin, note.lane, place, samples, note.period});
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

int32_t SampleLog::BinOf(int64_t finest) {
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

void SampleLog::Finish(absl::Span<const uint32_t> place_of) {
  for (SampleEntry& entry : entries_) entry.place = place_of[entry.place];
  SumNotes(place_of);
  const bool summed =
      std::adjacent_find(entries_.begin(), entries_.end(),
                         [](const SampleEntry& a, const SampleEntry& b) {
                           return std::pair(a.bin, a.lane_and_place()) >=
                                  std::pair(b.bin, b.lane_and_place());
                         }) == entries_.end();
  if (!summed) Sum();
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

// Sums the entries of the latest bin, which are in the caches still.
void SampleLog::CloseBin() {
  entries_.resize(SumBin(open_, entries_.size(), open_));
  open_ = entries_.size();
}

bool SampleLog::HasSeveralBins() const {
  return std::any_of(
      entries_.begin(), entries_.end(), [this](const SampleEntry& entry) {
        return entry.bin != kNoBin && entry.bin != entries_.front().bin;
      });
}

// Sums the entries [begin, end), which are of one bin, and moves the sums to
// `to`, ordered by lane and place. Returns their end.
size_t SampleLog::SumBin(size_t begin, size_t end, size_t to) {
  SampleEntry* const first = entries_.data();
  std::sort(first + begin, first + end,
            [](const SampleEntry& a, const SampleEntry& b) {
              return a.lane_and_place() < b.lane_and_place();
            });
  const size_t first_kept = to;
  for (size_t i = begin; i < end; ++i) {
    const SampleEntry& entry = entries_[i];
    SampleEntry* last = to > first_kept ? &entries_[to - 1] : nullptr;
    if (last != nullptr && last->lane_and_place() == entry.lane_and_place() &&
        entry.samples <= ~0u - last->samples) {
      last->samples += entry.samples;
      last->period = AddPeriods(last->period, entry.period);
    } else {
      entries_[to++] = entry;
    }
  }
  return to;
}

void SampleLog::Sum() {
  const auto before = [](const SampleEntry& a, const SampleEntry& b) {
    return a.bin < b.bin;
  };
  // Samples come in order of time, but for late ones.
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
    std::sort(entries_.begin(), entries_.end(), before);
  }
  size_t kept = 0;
  for (size_t begin = 0, end; begin < entries_.size(); begin = end) {
    end = begin + 1;
    while (end < entries_.size() && entries_[end].bin == entries_[begin].bin) {
      ++end;
    }
    kept = SumBin(begin, end, kept);
  }
  entries_.resize(kept);
  open_ = kept;
}

void SampleLog::Account() {
  const size_t room = std::max(entries_.capacity(), 2 * entries_.size());
  memory_.Set(room * sizeof(SampleEntry) + notes_.memory() +
              lanes_.size() * kOfLane);
}

}  // namespace perf2x
