// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_PACKETS_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_PACKETS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/base/proto_writer.h"
#include "converter/model/model.h"

namespace perf2x {

// Packet sequences (trusted_packet_sequence_id): kMainSequence for everything
// but samples, and one for the samples of each event.
inline constexpr uint32_t kMainSequence = 1;
inline uint32_t SequenceOf(EventId event) { return kMainSequence + 1 + event; }

// The id of the clock of ftrace bundles. It belongs to the main sequence and
// has the same times as the recording's clock.
inline constexpr uint32_t kFtraceClockId = 64;

// Returns `time`, limited to the largest int64: readers store times as signed
// numbers.
inline uint64_t PerfettoTime(uint64_t time) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  return std::min(time, kMax);
}

// Writes the packets of a Perfetto trace. Buffers them until MaybeFlush or
// Finish, which return the errors of the output. Writes a clock snapshot before
// the first packet with a time. Times are ns on the recording's clock, cut to
// the largest int64. Not thread-safe.
class PerfettoPackets {
 public:
  // `output` must outlive this.
  explicit PerfettoPackets(Output& output) : output_(output) {}

  // Sets the clock of all times, from TraceInfo. To be called before NoteTime,
  // and before the first Begin with a time.
  void SetClock(const TraceInfo& info);

  // Begins a packet. The caller adds fields of TracePacket to the result, and
  // calls no function of this object before End. The first packet of a sequence
  // clears the sequence's state. Updates latest().
  ProtoWriter& Begin(uint32_t sequence,
                     std::optional<uint64_t> time = std::nullopt);
  // Ends the packet of the last Begin.
  void End();
  // Updates latest() for a time that is not passed to Begin. Writes the clock
  // snapshot if this is the first time. Must not be called between Begin and
  // End.
  void NoteTime(uint64_t time) {
    if (!has_clocks_) WriteClocks(PerfettoTime(time));
    latest_ = std::max(latest_, PerfettoTime(time));
  }

  // Returns the latest time so far; 0 if there was none.
  uint64_t latest() const { return latest_; }
  // Writes to the output if at least 64 KiB are buffered.
  absl::Status MaybeFlush() {
    return buffer_.size() < kFlushSize ? absl::OkStatus() : Flush();
  }
  // Writes all buffered packets. Does not close the output. To be called once,
  // last.
  absl::Status Finish() { return Flush(); }

 private:
  static constexpr size_t kFlushSize = 64 << 10;

  void OpenPacket(uint32_t sequence);
  void WriteClocks(uint64_t time);
  absl::Status Flush();

  Output& output_;
  ProtoWriter buffer_;
  size_t packet_ = 0;          // the packet that Begin opened
  std::vector<bool> started_;  // by sequence
  uint64_t latest_ = 0;
  bool has_clocks_ = false;
  uint32_t clock_ = 0;  // a BuiltinClock
  std::optional<int64_t> wall_clock_offset_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_PACKETS_H_
