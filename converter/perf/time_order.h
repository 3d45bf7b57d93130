#ifndef PERF2X_PERF_TIME_ORDER_H_
#define PERF2X_PERF_TIME_ORDER_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "converter/base/temp_file.h"
#include "converter/perf/raw_record.h"

namespace perf2x {

// What may wait for its turn in memory, in bytes, where no one says otherwise.
inline constexpr uint64_t kDefaultMaxMemory = 64 << 20;

// Brings records into time order by perf's rule
// (tools/perf/util/ordered-events.c): each FINISHED_ROUND says that every
// buffer of the kernel was emptied once since the last, so nothing older than
// the newest record of the round before can still come. Records without a time
// pass straight through. Equal times keep the order of the input. Copies no
// record: it holds the blocks they lie in, and where that is more than a given
// amount of memory, moves them to a temporary file.
class TimeOrder {
 public:
  using Out = absl::FunctionRef<absl::Status(const RawRecord&,
                                             std::optional<uint64_t>)>;

  // With `full`, rounds mean nothing and all is held until Finish: for
  // recordings of several streams. `max_memory` is in bytes and bounds what is
  // held; less than 4 MB are taken for that.
  TimeOrder(bool full, uint64_t max_memory);

  // Takes a record, and gives out what is now known to be in order. An error is
  // from `out`, or says why there is no temporary file.
  absl::Status Add(const RawRecord& record, std::optional<uint64_t> time,
                   Out out);
  // Gives out the rest.
  absl::Status Finish(Out out);

  // Records that came later than their round allowed, and so were given out
  // behind newer ones.
  uint64_t late() const { return late_; }

 private:
  struct Entry {
    uint64_t time;
    uint64_t offset;
    uint64_t index;
    const uint8_t* body;
    uint32_t size;
    uint32_t type;
    uint16_t misc;
    uint16_t stream;
    uint32_t block;  // which of blocks_, counted from blocks_begin_
  };

  // Ordered entries in the temporary file, from `at` on not yet given out.
  struct Run {
    BlockRef block;
    const Entry* at;
    const Entry* end;
    uint32_t oldest_block;
  };

  absl::Status Flush(uint64_t limit, Out out);
  absl::Status FlushMerged(uint64_t limit, Out out);
  absl::Status Give(const Entry& entry, Out out);
  void Release();
  void Sort();
  uint32_t Hold(const BlockRef& block);
  absl::Status Spill();
  absl::Status SpillBlocks();

  const bool full_;
  const uint64_t max_memory_;
  ByteOrder order_ = kHostOrder;
  std::vector<Entry> entries_;  // in order of arrival
  std::vector<Entry> spare_;
  std::vector<size_t> run_starts_;
  // A block that records lie in, and how much memory that takes.
  struct Held {
    BlockRef block;
    uint64_t memory;
  };
  std::deque<Held> blocks_;
  uint32_t blocks_begin_ = 0;
  uint64_t block_bytes_ = 0;  // of memory, of all of them
  std::optional<TempFile> file_;
  std::vector<Run> runs_;    // in order of arrival
  uint64_t round_max_ = 0;   // newest record so far
  uint64_t next_limit_ = 0;  // newest record at the last FINISHED_ROUND
  uint64_t last_flushed_ = 0;
  uint64_t late_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_TIME_ORDER_H_
