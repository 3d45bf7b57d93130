// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_FORWARDING_EMITTER_H_
#define PERF2X_STAGES_FORWARDING_EMITTER_H_

#include <optional>

#include "converter/model/emitter.h"

namespace perf2x {

// Forwards everything to another emitter, and returns its requirements and
// errors. The base of stages, which override what they change. Not thread-safe.
class ForwardingEmitter : public Emitter {
 public:
  EmitterRequirements requirements() const override {
    return to_.requirements();
  }
  absl::Status Begin(const TraceInfo& info) override { return to_.Begin(info); }
  absl::Status OnSample(const Sample& sample) override {
    return to_.OnSample(sample);
  }
  absl::Status Finish(const TraceSummary& summary) override {
    return to_.Finish(summary);
  }
  absl::Status OnThread(ThreadId id, std::optional<uint64_t> time) override {
    return to_.OnThread(id, time);
  }
  void ExpectThread(ThreadId id) override { to_.ExpectThread(id); }
  absl::Status OnFork(const Fork& fork) override { return to_.OnFork(fork); }
  absl::Status OnExec(const Exec& exec) override { return to_.OnExec(exec); }
  absl::Status OnExit(const Exit& exit) override { return to_.OnExit(exit); }
  absl::Status OnMap(const MapEvent& map) override { return to_.OnMap(map); }
  absl::Status OnSwitch(const Switch& event) override {
    return to_.OnSwitch(event);
  }
  absl::Status OnWakeup(const Wakeup& wakeup) override {
    return to_.OnWakeup(wakeup);
  }
  absl::Status OnCall(const Call& call) override { return to_.OnCall(call); }
  absl::Status OnCounter(const Counter& counter) override {
    return to_.OnCounter(counter);
  }
  absl::Status OnLost(const Lost& lost) override { return to_.OnLost(lost); }
  absl::Status OnAuxGap(const AuxGap& gap) override {
    return to_.OnAuxGap(gap);
  }
  absl::Status OnThrottle(const Throttle& throttle) override {
    return to_.OnThrottle(throttle);
  }
  absl::Status OnRecord(const RecordEvent& record) override {
    return to_.OnRecord(record);
  }
  absl::Status SpillStacks() override { return to_.SpillStacks(); }
  absl::Status OnAdvice(absl::Span<const Advice> advice) override {
    return to_.OnAdvice(advice);
  }

 protected:
  // `to` must outlive this object.
  explicit ForwardingEmitter(Emitter& to) : to_(to) {}
  Emitter& to() const { return to_; }

 private:
  Emitter& to_;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_FORWARDING_EMITTER_H_
