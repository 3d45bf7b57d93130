// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_samples.h"

#include <algorithm>
#include <string>

#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;

int ModeOf(CpuMode mode) {
  switch (mode) {
    case CpuMode::kUnknown:
      return protos::Profiling::MODE_UNKNOWN;
    case CpuMode::kKernel:
      return protos::Profiling::MODE_KERNEL;
    case CpuMode::kUser:
      return protos::Profiling::MODE_USER;
    case CpuMode::kHypervisor:
      return protos::Profiling::MODE_HYPERVISOR;
    case CpuMode::kGuestKernel:
      return protos::Profiling::MODE_GUEST_KERNEL;
    case CpuMode::kGuestUser:
      return protos::Profiling::MODE_GUEST_USER;
  }
  return protos::Profiling::MODE_UNKNOWN;
}

}  // namespace

void PerfettoSamples::BeginSequence(EventId event) {
  if (event >= begun_.size()) begun_.resize(size_t{event} + 1);
  if (begun_[event]) return;
  begun_[event] = true;
  using Timebase = protos::PerfEvents::Timebase;
  const Event& known = tables_.events[event];
  ProtoWriter& packet = packets_.Begin(SequenceOf(event));
  const size_t defaults =
      packet.Open(protos::TracePacket::kTracePacketDefaultsFieldNumber);
  const size_t samples =
      packet.Open(protos::TracePacketDefaults::kPerfSampleDefaultsFieldNumber);
  const size_t timebase =
      packet.Open(protos::PerfSampleDefaults::kTimebaseFieldNumber);
  if (known.period != 0) {
    packet.Uint(known.period_is_frequency ? Timebase::kFrequencyFieldNumber
                                          : Timebase::kPeriodFieldNumber,
                known.period);
  }
  std::string scratch;
  const absl::string_view name = NameOf(event);
  packet.Bytes(Timebase::kNameFieldNumber,
               AsPlainText(name.empty() ? "samples" : name, &scratch));
  packet.Close(timebase);
  packet.Close(samples);
  packet.Close(defaults);
  packets_.End();
}

absl::Status PerfettoSamples::OnSample(const Sample& sample, TrackId track,
                                       uint64_t time) {
  BeginSequence(sample.event);
  // Readers count a sample without a CPU on CPU 0.
  const auto [count, inserted] =
      counts_.try_emplace({sample.event, std::max(sample.cpu, 0)}, 0);
  if (inserted) memory_.Set(counts_.capacity() * (sizeof(*count) + 1));
  count->second = SaturatingAdd(count->second, sample.period);
  waiting_.push_back({sample.event, track, sample.stack, sample.cpu,
                      sample.mode, time, count->second});
  if (stacks_.Claim(sample.event, sample.stack)) {
    new_stacks_.emplace_back(sample.event, sample.stack);
    words_ += tables_.stacks.callchain_words(sample.stack);
  }
  if (waiting_.size() == kMaxWaiting || words_ > kMaxWords) return Flush();
  return absl::OkStatus();
}

void PerfettoSamples::WriteSample(const Waiting& sample) {
  using Message = protos::PerfSample;
  const PerfettoThreads::Row& row = threads_.row(sample.track);
  ProtoWriter& packet = packets_.Begin(SequenceOf(sample.event), sample.time);
  const size_t message =
      packet.Open(protos::TracePacket::kPerfSampleFieldNumber);
  if (sample.cpu >= 0) {
    packet.Int(Message::kCpuFieldNumber, sample.cpu);
  }
  packet.Int(Message::kPidFieldNumber, row.pid);
  packet.Int(Message::kTidFieldNumber, row.tid);
  const uint64_t stack = stacks_.IidOf(sample.event, sample.stack);
  if (stack != 0) packet.Uint(Message::kCallstackIidFieldNumber, stack);
  packet.Int(Message::kCpuModeFieldNumber, ModeOf(sample.mode));
  packet.Uint(Message::kTimebaseCountFieldNumber, sample.count);
  packet.Close(message);
  packets_.End();
}

absl::Status PerfettoSamples::Flush() {
  if (!new_stacks_.empty()) {
    // Fewer packets if the stacks of an event follow each other.
    std::stable_sort(
        new_stacks_.begin(), new_stacks_.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    RETURN_IF_ERROR(stacks_.Write(new_stacks_));
    new_stacks_.clear();
    words_ = 0;
  }
  for (const Waiting& sample : waiting_) {
    WriteSample(sample);
    RETURN_IF_ERROR(packets_.MaybeFlush());
  }
  waiting_.clear();
  return absl::OkStatus();
}

absl::Status PerfettoSamples::OnLost(const Lost& lost) {
  if (tables_.events.empty() || lost.count == 0) return absl::OkStatus();
  BeginSequence(0);
  ProtoWriter& packet = packets_.Begin(SequenceOf(0), lost.time);
  const size_t message =
      packet.Open(protos::TracePacket::kPerfSampleFieldNumber);
  if (lost.cpu >= 0) {
    packet.Int(protos::PerfSample::kCpuFieldNumber, lost.cpu);
  }
  packet.Uint(protos::PerfSample::kKernelRecordsLostFieldNumber, lost.count);
  packet.Close(message);
  packets_.End();
  return absl::OkStatus();
}

absl::Status PerfettoSamples::Finish() {
  RETURN_IF_ERROR(Flush());
  stacks_.Report();
  return absl::OkStatus();
}

}  // namespace perf2x
