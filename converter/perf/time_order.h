#ifndef PERF2X_PERF_TIME_ORDER_H_
#define PERF2X_PERF_TIME_ORDER_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "converter/perf/raw_record.h"

namespace perf2x {

// Brings records into time order by perf's rule
// (tools/perf/util/ordered-events.c): each FINISHED_ROUND says that every
// buffer of the kernel was emptied once since the last, so nothing older than
// the newest record of the round before can still come. Records without a time
// pass straight through. Equal times keep the order of the input. Copies no
// record: it holds the blocks they lie in.
class TimeOrder {
 public:
  using Out = absl::FunctionRef<absl::Status(const RawRecord&,
                                             std::optional<uint64_t>)>;

  // With `full`, rounds mean nothing and all is held until Finish: for
  // recordings of several streams.
  explicit TimeOrder(bool full) : full_(full) {}

  // Takes a record, and gives out what is now known to be in order.
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

  absl::Status Flush(uint64_t limit, Out out);
  void Sort();
  uint32_t Hold(const BlockRef& block);

  const bool full_;
  ByteOrder order_ = kHostOrder;
  std::vector<Entry> entries_;  // in order of arrival
  std::vector<Entry> spare_;
  std::vector<size_t> run_starts_;
  std::deque<BlockRef> blocks_;
  uint32_t blocks_begin_ = 0;
  uint64_t round_max_ = 0;   // newest record so far
  uint64_t next_limit_ = 0;  // newest record at the last FINISHED_ROUND
  uint64_t last_flushed_ = 0;
  uint64_t late_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_TIME_ORDER_H_
