// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_packets.h"

#include <utility>

#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;

uint32_t BuiltinClockOf(absl::string_view name) {
  static constexpr std::pair<absl::string_view, protos::BuiltinClock>
      kClocks[] = {
          {"CLOCK_REALTIME", protos::BUILTIN_CLOCK_REALTIME},
          {"CLOCK_MONOTONIC", protos::BUILTIN_CLOCK_MONOTONIC},
          {"CLOCK_MONOTONIC_RAW", protos::BUILTIN_CLOCK_MONOTONIC_RAW},
          {"CLOCK_BOOTTIME", protos::BUILTIN_CLOCK_BOOTTIME},
          {"perf", protos::BUILTIN_CLOCK_PERF},
      };
  for (const auto& [known, clock] : kClocks) {
    if (name == known) return clock;
  }
  return protos::BUILTIN_CLOCK_TRACE_FILE;
}

}  // namespace

void PerfettoPackets::SetClock(const TraceInfo& info) {
  clock_ = BuiltinClockOf(info.clock);
  wall_clock_offset_ = info.wall_clock_offset;
}

void PerfettoPackets::OpenPacket(uint32_t sequence) {
  packet_ = buffer_.Open(protos::Trace::kPacketFieldNumber);
  if (sequence >= started_.size()) started_.resize(size_t{sequence} + 1);
  buffer_.Uint(protos::TracePacket::kTrustedPacketSequenceIdFieldNumber,
               sequence);
  buffer_.Uint(protos::TracePacket::kSequenceFlagsFieldNumber,
               started_[sequence]
                   ? protos::TracePacket::SEQ_NEEDS_INCREMENTAL_STATE
                   : protos::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED);
  started_[sequence] = true;
}

ProtoWriter& PerfettoPackets::Begin(uint32_t sequence,
                                    std::optional<uint64_t> time) {
  if (!time.has_value()) {
    OpenPacket(sequence);
    return buffer_;
  }
  NoteTime(*time);
  OpenPacket(sequence);
  buffer_.Uint(protos::TracePacket::kTimestampFieldNumber, PerfettoTime(*time));
  return buffer_;
}

void PerfettoPackets::End() { buffer_.Close(packet_); }

void PerfettoPackets::WriteClocks(uint64_t time) {
  has_clocks_ = true;
  OpenPacket(kMainSequence);
  const size_t snapshot =
      buffer_.Open(protos::TracePacket::kClockSnapshotFieldNumber);
  const auto add = [this](uint32_t clock, uint64_t at) {
    const size_t message =
        buffer_.Open(protos::ClockSnapshot::kClocksFieldNumber);
    buffer_.Uint(protos::ClockSnapshot::Clock::kClockIdFieldNumber, clock);
    buffer_.Uint(protos::ClockSnapshot::Clock::kTimestampFieldNumber, at);
    buffer_.Close(message);
  };
  add(clock_, time);
  add(kFtraceClockId, time);
  const uint64_t wall =
      time + static_cast<uint64_t>(wall_clock_offset_.value_or(0));
  if (wall_clock_offset_.has_value() && wall == PerfettoTime(wall) &&
      clock_ != protos::BUILTIN_CLOCK_REALTIME) {
    add(protos::BUILTIN_CLOCK_REALTIME, wall);
  }
  buffer_.Uint(protos::ClockSnapshot::kPrimaryTraceClockFieldNumber, clock_);
  buffer_.Close(snapshot);
  End();
}

absl::Status PerfettoPackets::Flush() {
  absl::Status status = output_.Write(buffer_.bytes());
  buffer_.Clear();
  return status;
}

}  // namespace perf2x
