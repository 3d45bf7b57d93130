// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SPE_QUEUE_H_
#define PERF2X_SESSION_SPE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/spe_record.h"
#include "converter/perf/records/user_records.h"

namespace perf2x {

// The Arm SPE records in the AUX buffers of one CPU or thread, in order. At
// most one record is current. Not thread-safe.
class SpeQueue {
 public:
  // `tid` is the traced thread; -1: the buffers trace all threads of `cpu`.
  // `conversion` and `diagnostics` must outlive the queue. `conversion` may be
  // null: then no record has a time.
  SpeQueue(int32_t cpu, int32_t tid, const TimeConvRecord* conversion,
           Diagnostics* diagnostics)
      : cpu_(cpu),
        tid_(tid),
        conversion_(conversion),
        diagnostics_(diagnostics) {}

  // Appends a buffer. `offset` is its offset in the recording, `place` its
  // offset in the AUX data; `block` owns its bytes. Ignores an empty buffer.
  // Drops bytes that are no packet, and records without a PC; counts both as
  // damage once the buffer is read. A record may continue in the next buffer,
  // if that begins where this one ends.
  void Add(absl::Span<const uint8_t> trace, BlockRef block, uint64_t offset,
           uint64_t place);
  // Counts a record that has no end. To be called once, after Advance returned
  // false and no buffer will be added.
  void End() { CountUnfinished(); }

  // Returns true if a record is current.
  bool has_record() const { return has_record_; }
  // Makes the next record current. Returns false at the end of the buffers so
  // far; then no record is current.
  bool Advance();

  // Returns the current record. Requires has_record().
  const SpeRecord& record() const { return record_; }
  // Returns the time of the current record, in ns. If the record lacks a time,
  // returns the time of the last record that had one; absent: none had.
  std::optional<uint64_t> time() const { return time_; }
  // Return the owner of the bytes of the current record's buffer, and the
  // buffer's offset in the recording. Require has_record().
  const BlockRef& block() const { return buffers_[first_].block; }
  uint64_t offset() const { return buffers_[first_].offset; }

  // Returns the CPU that was passed to the constructor.
  int32_t cpu() const { return cpu_; }
  // Returns the thread that runs, by the latest record or SetThread; -1: not
  // known.
  int32_t tid() const { return tid_; }
  // Sets the thread that runs from now on, from a SWITCH record. Ignored once a
  // record of the trace has named a thread.
  void SetThread(int32_t tid) {
    if (!has_context_) tid_ = tid;
  }
  // The records since the last sample of "instructions". The queue's owner
  // counts them; the queue does not use the number.
  uint64_t instructions = 0;

 private:
  struct Buffer {
    absl::Span<const uint8_t> trace;
    BlockRef block;
    uint64_t offset = 0, place = 0;
  };
  void BeginBuffer();
  void EndBuffer();
  void CountUnfinished();

  const int32_t cpu_;
  int32_t tid_;
  const TimeConvRecord* const conversion_;
  Diagnostics* const diagnostics_;
  // Those before `first_` were read. Not a deque: it takes half a kilobyte, and
  // each buffer may have its own queue.
  std::vector<Buffer> buffers_;
  size_t first_ = 0;
  bool begun_ = false;                 // buffers_[first_]
  std::optional<SpeDecoder> decoder_;  // of the last buffer that was begun
  // Of the buffer that was read last.
  uint64_t last_offset_ = 0, last_end_ = 0;
  uint64_t without_pc_ = 0;  // records of buffers_[first_]
  SpeRecord record_;
  bool has_record_ = false;
  bool has_context_ = false;
  std::optional<uint64_t> time_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SPE_QUEUE_H_
