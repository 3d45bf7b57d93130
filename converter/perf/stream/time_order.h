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
#include "converter/base/budget.h"
#include "converter/base/temp_file.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/timed_record.h"
#include "converter/perf/stream/run_merge.h"

namespace perf2x {

// The default of TimeOrder's `max_memory`, in bytes.
inline constexpr uint64_t kDefaultMaxMemory = 64 << 20;

// Brings records into time order by perf's rule
// (tools/perf/util/ordered-events.c). Between two FINISHED_ROUND records, perf
// has emptied every buffer of the kernel once. So records after the end of
// round n are not older than the newest record of round n - 1. Records of equal
// times keep the order of the input. Not thread-safe. After an error, only
// out_of_order() may be called.
//
// Does not copy the bytes of records but holds their blocks. If records and
// blocks exceed `max_memory`, moves them to a temporary file. If that file
// would exceed its limit, passes on all held records, sorted. Older records
// that come later are out of order.
class TimeOrder {
 public:
  // Receives some hundred records at a time, which are valid during the call.
  // An error that it returns is returned to the caller at once.
  using Out = absl::FunctionRef<absl::Status(const OrderedRecords&)>;

  // If `full`, ignores rounds and holds all records until Finish(): for
  // recordings of several streams. `max_memory`, in bytes, bounds the memory of
  // held records and blocks; values below 4 MiB count as 4 MiB. The temporary
  // file takes at most half of the limit of Budget::kOutput. Nothing is spent
  // from `budget`, which must outlive this object.
  TimeOrder(bool full, uint64_t max_memory, Budget& budget);

  // Adds a kernel record, whose time must not be ~0. Calls
  // set_key(TimedRecord*), which must set the key and must not read `block`.
  // Passes records to `out` only if there is no room for more. Returns an error
  // of `out`, or says why the temporary file cannot be made or written.
  template <class SetKey>
  absl::Status Add(const RawRecord& record, uint64_t time, SetKey set_key,
                   Out out) {
    if (time < last_passed_) ++out_of_order_;
    newest_ = std::max(newest_, time);
    if (time < newest_of_run_ || open_.chunks.empty() ||
        open_.chunks.back().size() == kInChunk) {
      StartRun();
    }
    newest_of_run_ = time;
    // Made in place: the members are stored one by one, and copying them with
    // wider loads right afterwards would stall (failed store forwarding).
    TimedRecord& r = open_.chunks.back().emplace_back();
    ++open_.runs.back().end;
    r.Set(record, time);
    set_key(&r);
    r.block = Hold(*record.block);
    held_ += sizeof(TimedRecord);
    return held_ > max_memory_ ? MakeRoom(out) : absl::OkStatus();
  }
  // To be called at a FINISHED_ROUND. Passes to `out` the records up to the
  // newest time of the previous round. Passes none if `full` was set. Returns
  // the errors of `out`.
  absl::Status EndRound(Out out);
  // Passes the remaining records to `out`. To be called once, after the last
  // record. Returns the errors of `out`.
  absl::Status Finish(Out out);

  // Returns the number of out-of-order records so far. They are passed to `out`
  // after newer ones. An out-of-order record came later than its round allows,
  // or after the temporary file was full.
  uint64_t out_of_order() const { return out_of_order_; }

 private:
  // Fixed capacity: pointers to records stay valid. A run ends with its chunk.
  static constexpr size_t kInChunk = 4096;
  using Chunk = std::vector<TimedRecord>;
  // The records since a FINISHED_ROUND: a few ascending runs, one for each
  // buffer of the kernel. Or one run of all records that were moved to the
  // temporary file.
  struct Round {
    std::vector<Chunk> chunks;  // of records in order of arrival
    BlockRef spilled;           // holds the records if they were moved
    size_t released = 0;        // bytes from the start of `spilled`
    std::vector<Run> runs;      // records that were not passed on yet
    uint32_t oldest_block = 0;  // lowest number of their blocks
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
  void DropPassed();
  absl::Status MakeRoom(Out out);
  absl::Status Spill();
  absl::Status SpillBlocks();

  const bool full_;
  const uint64_t max_memory_;
  Budget& budget_;
  Round open_;                    // new records are added to it
  std::deque<Round> rounds_;      // earlier rounds, in order of arrival
  std::vector<Chunk> unused_;     // empty, to be used again
  std::vector<BlockRef> blocks_;  // blocks that records lie in
  std::vector<uint64_t> memory_;  // bytes that each block takes
  uint32_t blocks_begin_ = 0;     // number of blocks_[0]
  uint64_t held_ = 0;             // bytes of memory, of records and blocks
  std::optional<TempFile> file_;
  uint64_t newest_ = 0;         // time of the newest record so far
  uint64_t newest_of_run_ = 0;  // the same, for the open run
  uint64_t next_limit_ = 0;     // newest_ at the last FINISHED_ROUND
  uint64_t last_passed_ = 0;
  uint64_t out_of_order_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_TIME_ORDER_H_
