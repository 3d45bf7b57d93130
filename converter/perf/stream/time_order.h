// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_TIME_ORDER_H_
#define PERF2X_PERF_STREAM_TIME_ORDER_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "converter/base/temp_file.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/timed_record.h"
#include "converter/perf/stream/run_merge.h"

namespace perf2x {

// What may wait for its turn in memory, in bytes, where no one says otherwise.
inline constexpr uint64_t kDefaultMaxMemory = 64 << 20;

// Brings records into time order by perf's rule
// (tools/perf/util/ordered-events.c): each FINISHED_ROUND says that every
// buffer of the kernel was emptied once since the last, so nothing older than
// the newest record of the round before can still come. Equal times keep the
// order of the input. Copies no record: it holds the blocks they lie in, and
// where that is more than a given amount of memory, moves them to a temporary
// file.
class TimeOrder {
 public:
  // Gets some hundred records at a time, which are gone once it returns.
  using Out = absl::FunctionRef<absl::Status(const OrderedRecords&)>;

  // With `full`, rounds mean nothing and all is held until Finish: for
  // recordings of several streams. `max_memory` is in bytes and bounds what is
  // held; less than 4 MB are taken for that.
  TimeOrder(bool full, uint64_t max_memory);

  // Takes a record of the kernel. `set_head` gets the place of what is read of
  // a sample. An error says why there is no temporary file.
  template <class SetHead>
  absl::Status Add(const RawRecord& record, uint64_t time, SetHead set_head) {
    if (time < last_given_) ++late_;
    newest_ = std::max(newest_, time);
    if (time < newest_of_run_ || open_.chunks.empty() ||
        open_.chunks.back().size() == kInChunk) {
      StartRun();
    }
    newest_of_run_ = time;
    // In place: what was put together elsewhere in small pieces cannot be
    // copied in large ones at once.
    TimedRecord& r = open_.chunks.back().emplace_back();
    ++open_.runs.back().end;
    r.Set(record, time);
    set_head(&r);
    r.block = Hold(*record.block);
    held_ += sizeof(TimedRecord);
    return held_ > max_memory_ ? Spill() : absl::OkStatus();
  }
  // At a FINISHED_ROUND: gives out what is now known to be in order. An error
  // is from `out`.
  absl::Status EndRound(Out out);
  // Gives out the rest.
  absl::Status Finish(Out out);

  // Records that came later than their round allowed, and so were given out
  // behind newer ones.
  uint64_t late() const { return late_; }

 private:
  // Never more, so that no record moves. A run ends with its chunk.
  static constexpr size_t kInChunk = 4096;
  using Chunk = std::vector<TimedRecord>;
  // What came since a FINISHED_ROUND: a few ascending runs, one for each buffer
  // of the kernel. Or one run of what was spilled.
  struct Round {
    std::vector<Chunk> chunks;  // of records in order of arrival
    BlockRef spilled;           // holds the records instead
    size_t released = 0;        // bytes of that, from its beginning
    std::vector<Run> runs;      // what of them was not given out
    uint32_t oldest_block = 0;  // that a record lies in
  };
  void StartRun();
  uint32_t Hold(const BlockRef& block) {
    if (blocks_.empty() || !(blocks_.back() == block)) HoldNew(block);
    return newest_block();
  }
  void HoldNew(const BlockRef& block);
  uint32_t newest_block() const {
    return blocks_begin_ + static_cast<uint32_t>(blocks_.size() - 1);
  }
  void Close();
  absl::Status Flush(uint64_t limit, Out out);
  void ReleaseSpilled();
  void DropGiven();
  absl::Status Spill();
  absl::Status SpillBlocks();

  const bool full_;
  const uint64_t max_memory_;
  Round open_;                    // takes what comes in
  std::deque<Round> rounds_;      // those before, in order of arrival
  std::vector<Chunk> unused_;     // whose memory is used again
  std::vector<BlockRef> blocks_;  // that records lie in
  std::vector<uint64_t> memory_;  // that each of them takes
  uint32_t blocks_begin_ = 0;     // number of the first of them
  uint64_t held_ = 0;             // bytes of memory, of records and blocks
  std::optional<TempFile> file_;
  uint64_t newest_ = 0;         // time of the newest record so far
  uint64_t newest_of_run_ = 0;  // of the run that is being added to
  uint64_t next_limit_ = 0;     // newest_ at the last FINISHED_ROUND
  uint64_t last_given_ = 0;
  uint64_t late_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_TIME_ORDER_H_
