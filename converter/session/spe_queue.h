// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SPE_QUEUE_H_
#define PERF2X_SESSION_SPE_QUEUE_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/spe_record.h"
#include "converter/perf/records/user_records.h"

namespace perf2x {

// Converts times of the processor's counter to ns of the recording's clock, as
// TIME_CONV says: tsc_to_perf_time() in tools/perf/util/tsc.c.
uint64_t ToRecordingTime(const TimeConvRecord& conversion, uint64_t counter);

// The Arm SPE records of one CPU or thread: those of its AUX buffers, one after
// the other. Not thread-safe.
class SpeQueue {
 public:
  // `tid`: the thread that the buffers are of, -1: all of `cpu`. `conversion`
  // and `diagnostics` must outlive the queue; `conversion` may be null: then no
  // record has a time.
  SpeQueue(int32_t cpu, int32_t tid, const TimeConvRecord* conversion,
           Diagnostics* diagnostics)
      : cpu_(cpu),
        tid_(tid),
        conversion_(conversion),
        diagnostics_(diagnostics) {}

  // Adds a buffer, which lies at `offset` of the recording. Bytes that are in
  // no packet are counted when they are reached.
  void Add(absl::Span<const uint8_t> trace, BlockRef block, uint64_t offset);

  // Reads the first record, if none is current. Returns false if there is none.
  bool Start() { return has_record_ || Advance(); }
  // Reads the next record; false at the end of the buffers so far.
  bool Advance();

  // Of the current record. The time is absent if the trace has no timestamps,
  // else that of the record or, if it lacks one, of the last one that had one.
  const SpeRecord& record() const { return record_; }
  std::optional<uint64_t> time() const { return time_; }
  // Where the record's buffer lies.
  const BlockRef& block() const { return buffers_.front().block; }
  uint64_t offset() const { return buffers_.front().offset; }

  int32_t cpu() const { return cpu_; }
  // The thread that ran, as far as records or SetThread say; -1: not known.
  int32_t tid() const { return tid_; }
  // Sets the thread that runs from now on, from a SWITCH record. Ignored once
  // the trace itself says which thread ran.
  void SetThread(int32_t tid) {
    if (!has_context_) tid_ = tid;
  }
  // Instructions since the last sample of them.
  uint64_t instructions = 0;

 private:
  struct Buffer {
    absl::Span<const uint8_t> trace;
    BlockRef block;
    uint64_t offset = 0;
  };
  void EndBuffer();

  const int32_t cpu_;
  int32_t tid_;
  const TimeConvRecord* const conversion_;
  Diagnostics* const diagnostics_;
  std::deque<Buffer> buffers_;
  std::optional<SpeDecoder> decoder_;  // of buffers_.front()
  SpeRecord record_;
  bool has_record_ = false;
  bool has_context_ = false;
  std::optional<uint64_t> time_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SPE_QUEUE_H_
