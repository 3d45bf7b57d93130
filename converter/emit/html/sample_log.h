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
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/emit/html/sample_notes.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A lane: a combination of event, thread and CPU that samples have.
struct SampleLane {
  EventId event = 0;
  ThreadId thread = 0;
  int32_t cpu = -1;  // -1: not known
};

// The sum of the samples of one lane, place and time bin.
struct SampleEntry {
  // A bin, relative to SampleLog::origin(); SampleLog::kNoBin: no time.
  int32_t bin = 0;
  uint32_t lane = 0;  // index in SampleLog::lanes()
  // The samples' stack: a StackId; after SampleLog::Finish, a node of a call
  // tree.
  uint32_t place = 0;
  uint32_t samples = 0;
  uint64_t period = 0;

  // Returns a key that orders entries by lane, then place.
  uint64_t lane_and_place() const { return uint64_t{lane} << 32 | place; }
};

// Returns the sum of two periods, at most the largest int64.
inline uint64_t AddPeriods(uint64_t a, uint64_t b) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  return a >= kMax || b > kMax - a ? kMax : a + b;
}

using SampleEntries = std::vector<SampleEntry, HugePageAllocator<SampleEntry>>;

// Sums samples by time bin, lane and place. Bins are consecutive intervals of
// equal width. Samples without a time have the bin kNoBin. If there are too
// many sums, doubles the width of bins. With one bin left, sums may exceed the
// limit: each distinct lane and place keeps its sum. Charges memory to the
// budget; does not check it. Every sample is in an entry, except those in
// uncounted(). Not thread-safe.
class SampleLog {
 public:
  static constexpr uint64_t kFinestBin = 10'000'000;  // initial width, ns
  // In place of a bin: the sample has no time.
  static constexpr int32_t kNoBin = std::numeric_limits<int32_t>::max();
  // Maximum number of bins from the first sample to the last one, after Finish.
  static constexpr int64_t kMaxBins = 1 << 20;
  // When there are this many entries, they are summed. If more than half
  // remain, bins are widened.
  static constexpr size_t kMaxEntries = size_t{3} << 20;
  // An Add of more than 2^32 - 1 samples makes further entries: at most this
  // many in the whole log.
  static constexpr uint64_t kMaxFurtherEntries = 1 << 18;
  // A width of kFinestBin << kMaxShift is less than 2^63 ns.
  static constexpr int kMaxShift = 39;

  explicit SampleLog(Budget& budget, size_t max_entries = kMaxEntries)
      : memory_(budget), max_entries_(max_entries) {}

  // Adds Sample::count samples. Must not be called after Finish.
  void Add(const Sample& sample);
  // Calls `use(StackId)` for each stack that was added, once or several times.
  // Must not be called after Finish.
  template <class F>
  void ForEachStack(F use) const {
    for (const SampleEntry& entry : entries_) use(entry.place);
    notes_.ForEach([&](const SampleNotes::Note& note) { use(note.stack); });
  }
  // Sums the entries, with `place_of[stack]` as `place`. `place_of` must have a
  // value for each stack that was added. Each bin, lane and place with samples
  // gets one entry; more if it has more than 2^32 - 1 samples. Widens bins
  // until there are at most kMaxBins from the first to the last. To be called
  // once, last.
  void Finish(absl::Span<const uint32_t> place_of);

  // The following are valid after Finish.

  // Ordered by bin, lane and place; entries without a time come last. The
  // caller may move the entries out.
  SampleEntries& entries() { return entries_; }
  const std::vector<SampleLane>& lanes() const { return lanes_; }
  // A bin is `kFinestBin << shift()` ns wide.
  int shift() const { return shift_; }
  // Returns the number of samples that no entry counts, because of
  // kMaxFurtherEntries. The first entry of their Add has their periods.
  uint64_t uncounted() const { return uncounted_; }
  // Returns the memory that is charged to the budget, in bytes.
  uint64_t memory() const { return memory_.held(); }
  // Returns the number of bins from time 0 of the recording's clock to bin 0.
  int64_t origin() const { return origin_ >> shift_; }

 private:
  // Limit of the distance between a bin and the origin. Bins become wider
  // before the distance exceeds it.
  static constexpr int64_t kMaxDistance = int64_t{1} << 29;

  // Bytes of notes for each entry of the limit.
  static constexpr size_t kNoteBytes = 10;

  uint32_t LaneOf(const Sample& sample);
  int32_t BinOf(int64_t finest);
  void SumNotes(absl::Span<const uint32_t> place_of);
  // Adds an entry; several if they have more samples than one can hold.
  void Append(const SampleNotes::Note& note, uint32_t place, uint64_t samples);
  void AppendEntry(const SampleNotes::Note& note, uint32_t place,
                   uint32_t samples);
  void CloseBin();
  size_t SumBin(size_t begin, size_t end, size_t to);
  void MakeRoom();
  void Widen();
  void Sum();
  bool HasSeveralBins() const;
  void Account();

  Budget::Share memory_;
  size_t max_entries_;
  SampleNotes notes_;
  bool sums_ = false;     // at once, without notes
  uint64_t further_ = 0;  // see kMaxFurtherEntries
  uint64_t uncounted_ = 0;
  SampleEntries entries_;
  size_t open_ = 0;  // where the entries of the latest bin begin
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
