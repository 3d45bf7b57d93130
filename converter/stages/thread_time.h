// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_THREAD_TIME_H_
#define PERF2X_STAGES_THREAD_TIME_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/model/emitter.h"

namespace perf2x {

// What a thread did.
enum class TimeState : uint8_t {
  kRunning,   // on a CPU
  kRunnable,  // preempted, or woken and waiting for a CPU
  kSleeping,  // waits in an interruptible sleep
  kDisk,      // waits in an uninterruptible sleep, mostly for a disk
  kStopped,   // by a signal, a debugger, or parked
  kLock,      // waits for a futex or a lock of the kernel
  kBlocked,   // off CPU; the recording does not say why
  kUnknown,   // running or not; the recording does not say
};
inline constexpr size_t kTimeStates = 8;

// What a thread may wait for in state kLock.
enum class LockKind : uint8_t { kFutex, kKernel };

// Where the stack of a stretch comes from.
enum class StackOrigin : uint8_t {
  kSample,  // a sample in the same run
  kSwitch,  // the switch that begins a wait or ends a run
  kOlder,   // the thread's latest sample before, which may have nothing to do
            // with the stretch; the stack is kNoId if there is none
};

// A stretch of the life of a thread: a time in which its state did not change,
// or a part of it.
struct ThreadTime {
  ThreadId thread = 0;  // under its latest name
  TimeState state = TimeState::kUnknown;
  uint64_t duration = 0;        // ns; never 0
  std::optional<uint64_t> end;  // ns; absent: at several or unknown times
  int32_t cpu = -1;             // of kRunning; -1: not known
  StackId stack = kNoId;        // where the thread ran or waits; kNoId: none
  StackOrigin origin = StackOrigin::kOlder;  // of `stack`
  // The sample that ends the stretch; with OnOffCpuSample, the sample that
  // stands for it. Null: a switch, a wake-up, or the end of the thread or the
  // recording ends the stretch.
  const Sample* sample = nullptr;
  // The thread that ended the wait, then that thread's own waker, and so on.
  // Empty if not known, or if the thread did not wait.
  absl::Span<const ThreadId> wakers = {};
};

// Receives stretches. An error ends the conversion.
class ThreadTimeSink {
 public:
  virtual ~ThreadTimeSink() = default;
  // `time`, and what it refers to, is valid during the call.
  virtual absl::Status OnThreadTime(const ThreadTime& time) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_THREAD_TIME_H_
