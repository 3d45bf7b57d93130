// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_SAMPLE_LOG_H_
#define PERF2X_EMIT_HTML_SAMPLE_LOG_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Samples of one event, thread and CPU have one lane.
struct SampleLane {
  EventId event = 0;
  ThreadId thread = 0;
  int32_t cpu = -1;  // -1: not known
};

// Samples of one lane, place and bin of time.
struct SampleEntry {
  int32_t bin = 0;  // relative to SampleLog::origin(); or kNoBin
  uint32_t lane = 0;
  uint32_t place = 0;  // a StackId; later, a node of a call tree
  uint32_t samples = 0;
  uint64_t period = 0;
};

// Returns the sum of two periods, at most the largest int64.
inline uint64_t AddPeriods(uint64_t a, uint64_t b) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  return a >= kMax || b > kMax - a ? kMax : a + b;
}

// Sums samples by bin of time, lane and place. Memory is bounded by the number
// of distinct (lane, place): when the entries exceed a limit, bins become twice
// as wide, until there is one bin. Not thread-safe.
class SampleLog {
 public:
  static constexpr uint64_t kFinestBin = 10'000'000;  // ns
  static constexpr int32_t kNoBin = std::numeric_limits<int32_t>::max();
  // Maximum number of bins from the first sample to the last one.
  static constexpr int64_t kMaxBins = 1 << 20;
  static constexpr size_t kMaxEntries = size_t{3} << 20;
  // Bins of kFinestBin << kMaxShift ns have less than 2^63 ns.
  static constexpr int kMaxShift = 39;

  explicit SampleLog(Budget& budget, size_t max_entries = kMaxEntries)
      : memory_(budget), max_entries_(max_entries) {}

  void Add(const Sample& sample);
  // Sums entries that are equal but for samples and period; makes bins wider
  // until there are at most kMaxBins. Entries are then ordered by bin, lane and
  // place.
  void Compact();

  std::vector<SampleEntry>& entries() { return entries_; }
  const std::vector<SampleLane>& lanes() const { return lanes_; }
  // A bin has `kFinestBin << shift()` ns.
  int shift() const { return shift_; }
  // The number of bin 0, counted from time 0.
  int64_t origin() const { return origin_ >> shift_; }

 private:
  // A larger distance of times cannot be told apart from a smaller one.
  static constexpr int64_t kMaxDistance = int64_t{1} << 29;

  uint32_t LaneOf(const Sample& sample);
  int32_t BinOf(const std::optional<uint64_t>& time);
  void MakeRoom();
  void Widen();
  void Sum();
  bool HasSeveralBins() const;
  void Account();

  Budget::Share memory_;
  size_t max_entries_;
  std::vector<SampleEntry> entries_;
  int shift_ = 0;
  int64_t origin_ = 0;  // in bins of kFinestBin
  bool has_origin_ = false;
  std::vector<SampleLane> lanes_;
  absl::flat_hash_map<std::tuple<EventId, ThreadId, int32_t>, uint32_t> ids_;
  // The latest lanes, direct-mapped by CPU.
  std::array<uint32_t, 64> recent_{};
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_SAMPLE_LOG_H_
