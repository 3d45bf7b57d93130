// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_ENTRY_TABLE_H_
#define PERF2X_EMIT_HTML_ENTRY_TABLE_H_

#include <cstdint>
#include <vector>

#include "converter/emit/html/columns.h"
#include "converter/emit/html/recording.h"

namespace perf2x {

// Makes the columns "group.…" and "entry.…" (docs/html.md) of a recording's
// samples. An entry is the sum of the samples of one event, thread, CPU, call
// tree node and time bin (see SampleLog). A group has the entries of one event
// and thread. To fit a size, first rounds the entries' periods, then widens
// bins. The groups' sums stay exact. Not thread-safe.
class EntryTable {
 public:
  // More entries than these make the viewer slow.
  static constexpr size_t kMaxEntries = 1'500'000;

  // Moves the entries out of `*recording`. SampleEntry::place must be a row of
  // the PrunedTree, and SampleLane::event an index in PageEvents::events().
  // `events` is the number of events of the page.
  EntryTable(HtmlRecording* recording, size_t events);

  // Makes columns of at most `max_entries` entries, with an estimated
  // compressed size of at most `target` bytes. With one bin left, the columns
  // may stay larger. To be called once.
  void Fit(uint64_t target, size_t max_entries = kMaxEntries);
  // Appends the columns to `*block`. To be called once, after Fit.
  void MoveTo(ColumnBlock* block);

  // The following are valid after Fit.
  int bin_shift() const { return shift_; }  // see SampleLog::shift
  // The start of the first bin, in ns on the recording's clock; 0 if there are
  // no bins.
  uint64_t start() const {
    return (static_cast<uint64_t>(first_) << shift_) * SampleLog::kFinestBin;
  }
  // Number of bins, empty ones included; 0: no sample has a time.
  uint32_t bins() const { return bins_; }
  size_t entries() const { return entries_.size(); }
  // The CPUs that samples ran on, ascending.
  const std::vector<int32_t>& cpus() const { return cpus_; }
  // By event: the unit, a power of two, to which the periods of entries are
  // rounded; 1: they are exact.
  const std::vector<uint64_t>& rounding_units() const { return units_; }
  // The sums of one event.
  struct Total {
    uint64_t samples = 0, period = 0;
  };
  // By event: the exact sums of all samples.
  const std::vector<Total>& totals() const { return totals_; }

 private:
  struct Entry {
    uint32_t bin;
    uint32_t cpu;  // index in cpus_, plus 1; 0: not known
    uint32_t node, samples;
    uint64_t period;
  };
  struct Group {
    EventId event = 0;
    uint32_t thread = 0;
    size_t begin = 0, end = 0;  // in entries_
    uint64_t least = 0;         // period of a sample
    Total total;
  };
  static constexpr uint32_t kNoBin = ~0u;

  void MakeGroups(const HtmlRecording& recording,
                  std::vector<uint32_t>* group_of_lane);
  void FindCpus(const HtmlRecording& recording);
  void Fill(const HtmlRecording& recording);
  void Sum();
  bool can_widen() const { return bins_ > 1 && shift_ < SampleLog::kMaxShift; }
  void Widen();
  void FindTotals();
  void RoundPeriods();
  uint64_t MakeColumns();
  void MakeGroupColumns();
  std::vector<uint64_t> Extras() const;

  std::vector<Entry> entries_;
  std::vector<Group> groups_;  // by event, then thread
  int shift_;
  int64_t first_ = 0;
  uint32_t bins_ = 0;
  std::vector<int32_t> cpus_;
  std::vector<uint64_t> units_;
  std::vector<Total> totals_;
  std::vector<PageColumn> columns_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_ENTRY_TABLE_H_
