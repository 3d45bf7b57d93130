// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_THREAD_ROW_H_
#define PERF2X_STAGES_THREAD_ROW_H_

#include <cstdint>

#include "converter/base/prefetch.h"
#include "converter/model/emitter.h"
#include "converter/stages/cpu_losses.h"
#include "converter/stages/thread_time.h"

namespace perf2x {

// What ThreadTimes knows of a thread. Takes one cache line, as each switch is
// of another thread.
struct alignas(kCacheLine) ThreadRow {
  static constexpr uint64_t kNever = ~uint64_t{0};  // no record has this time
  enum : uint8_t {
    kStart,    // no switch yet: what it did since `start` is open
    kLosing,   // records were lost: only samples count until the next switch
    kRunning,  // since `point`
    kWaiting,  // since `point`
    kDead,
  } phase = kStart;
  TimeState waiting = TimeState::kBlocked;
  bool is_idle = false, was_touched = false;
  bool in_futex = false, in_kernel_lock = false;
  bool sampled_in_run = false;
  bool began_late = false;  // `start` is known
  ThreadId id = 0;          // under its latest name
  int32_t cpu = -1;
  uint32_t losses = 0;         // CpuLosses::count() when the phase began
  ThreadId waker = kNoId;      // of the last wait
  StackId last_stack = kNoId;  // of its last sample
  StackId out_stack = kNoId;   // of the switch that began the wait
  uint64_t start = 0;          // of its life
  uint64_t point = 0;          // end of the last stretch
  uint64_t accounted = 0;      // ns, sum of the stretches
  uint64_t exited_at = kNever;

  bool has_exited() const { return exited_at != kNever; }
  // After a loss, it is not known whether a thread that waited still does, nor
  // whether one that ran on the CPU of the loss does.
  void NoteLosses(const CpuLosses& all) {
    if (losses == all.count()) return;
    if (phase == kStart || phase == kWaiting ||
        (phase == kRunning && all.Since(losses, cpu))) {
      phase = kLosing;
    }
    losses = all.count();
  }
};
static_assert(sizeof(ThreadRow) == kCacheLine);

}  // namespace perf2x

#endif  // PERF2X_STAGES_THREAD_ROW_H_
