// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_TRACE_SINK_H_
#define PERF2X_SESSION_TRACE_SINK_H_

#include <functional>
#include <type_traits>

#include "absl/status/status.h"
#include "converter/base/status_macros.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Wraps the emitter of a session and calls Emitter::Begin before the first
// event. By then the header of the recording has been read. Errors are the
// emitter's or the hooks'. Not thread-safe.
class TraceSink {
 public:
  // Functions of the session, which the sink calls.
  struct Hooks {
    // Returns the argument of Emitter::Begin. Called once, right before it.
    std::function<TraceInfo()> before_begin;
    // Called once, right after Emitter::Begin. May be null.
    std::function<absl::Status()> after_begin;
    // Called before each event that Report passes on, to emit earlier samples.
    // May be null.
    std::function<absl::Status()> before_event = nullptr;
  };
  // `emitter` and what the hooks refer to must outlive the sink.
  TraceSink(Emitter& emitter, Hooks hooks);

  // Returns true once EnsureBegun was called, also during and after a Begin
  // that fails.
  bool begun() const { return begun_; }
  // Unless begun(), calls before_begin, Emitter::Begin and after_begin.
  absl::Status EnsureBegun() { return begun_ ? absl::OkStatus() : Begin(); }

  // Passes an event other than a sample to the emitter:
  // Report(&Emitter::OnExit, exit). Requires that EnsureBegun was called.
  template <class... Event>
  absl::Status Report(absl::Status (Emitter::*on)(Event...),
                      std::type_identity_t<Event>... event) {
    RETURN_IF_ERROR(EmitEarlier());
    return (emitter_.*on)(event...);
  }
  // Passes on a record, which may come before some earlier samples. Requires
  // that EnsureBegun was called.
  absl::Status ReportRecord(const RecordEvent& record) {
    return emitter_.OnRecord(record);
  }
  // Has the samples emitted that an event must not overtake: calls
  // Hooks::before_event.
  absl::Status EmitEarlier() const {
    return hooks_.before_event == nullptr ? absl::OkStatus()
                                          : hooks_.before_event();
  }
  // See Emitter::ExpectThread. Ignores kNoId.
  void ExpectThread(ThreadId thread) {
    if (thread != kNoId) emitter_.ExpectThread(thread);
  }
  // Returns the emitter's requirements.
  const EmitterRequirements& requirements() const { return requirements_; }
  // Returns true if the emitter uses no more of a sample than its SampleKey and
  // stack.
  bool needs_only_keys() const { return needs_only_keys_; }

 private:
  absl::Status Begin();

  Emitter& emitter_;
  const Hooks hooks_;
  const EmitterRequirements requirements_;
  const bool needs_only_keys_;
  bool begun_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_TRACE_SINK_H_
