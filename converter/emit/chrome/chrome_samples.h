// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_SAMPLES_H_
#define PERF2X_EMIT_CHROME_CHROME_SAMPLES_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/emit/chrome/chrome_stacks.h"
#include "converter/emit/chrome/chrome_timeline.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/emit/sample_intervals.h"
#include "converter/emit/syscall_pairs.h"
#include "converter/emit/tracepoint_roles.h"
#include "converter/model/emitter.h"

namespace perf2x {

// How samples of the driving event are shown.
enum class SampleForm {
  kSlices,    // nested slices of functions, see ChromeSlices
  kProfile,   // V8 CPU profiles, see ChromeProfile
  kInstants,  // instants, as samples of all other events
  kNone,      // only samples with values besides their stack, as instants
};

// Shows samples of the driving event as SampleForm says. Shows off-CPU samples
// (unless kNone) and pairs of system call tracepoints as slices. Shows all
// other samples as instants. A sample of the driving event with values besides
// its stack gets an instant, too. Samples without a time are shown one after
// another on their thread's row, an interval apart (see SampleIntervals).
//
// The driving event is the first event that samples code. If the user selected
// events (--event), only these are considered. If none of these samples code,
// the first one is the driving event. Not thread-safe.
class ChromeSamples {
 public:
  // References must outlive this. `arch` is as in uname -m. The constructor
  // chooses the driving event from the events known so far.
  ChromeSamples(SampleForm form, const std::string& arch, TraceTables& tables,
                ChromeStacks& stacks, ChromeTracks& tracks,
                ChromeTimeline& timeline, ChromeTrace& trace);

  // Shows a sample. To be called in order of time.
  void OnSample(const Sample& sample);

 private:
  // State of one event.
  struct EventState {
    absl::string_view name;
    SampleIntervals intervals;
    TracepointUse use;
  };
  // The row of a thread's sums of off-CPU time.
  struct OffCpuSums {
    uint64_t placed = 0;  // sum of the slices so far, in ns
    const SliceRow* row = nullptr;
  };

  EventState& StateOf(EventId event);
  // Returns true if samples of the event are in slices or profiles.
  bool IsOnTimeline(EventId event) const {
    return event == driver_ && form_ != SampleForm::kInstants;
  }
  void Untimed(const Sample& sample, TrackId track);
  void OffCpu(const Sample& sample, TrackId track, absl::string_view category);
  void OffCpuSum(const Sample& sample, TrackId track,
                 absl::string_view category);
  void Instant(const Sample& sample, TrackId track, uint64_t time,
               absl::string_view name);
  void WriteArgs(const Sample& sample, JsonWriter& json);
  void OnTimeline(const Sample& sample, TrackId track, uint64_t time,
                  uint64_t interval, absl::string_view category);
  void ShowSyscall(const SystemCall& call, TrackId track);
  void NoteCgroup(const Sample& sample, TrackId track);

  const SampleForm form_;
  TraceTables& tables_;
  ChromeStacks& stacks_;
  ChromeTracks& tracks_;
  ChromeTimeline& timeline_;
  ChromeTrace& trace_;
  const EventId driver_;  // the driving event; kNoId: none
  // If set, system calls have separate rows, because their slices would overlap
  // those on the threads' rows.
  const bool own_syscall_rows_;
  SyscallPairs syscalls_;
  // By EventId; a state is created for the event's first sample. Elements do
  // not move.
  std::deque<std::optional<EventState>> events_;
  std::vector<OffCpuSums> off_cpu_sums_;  // by TrackId
  // Where the next sample without a time goes, in ns since the start of the
  // trace, by TrackId: in slices or a profile, and as an instant.
  std::vector<uint64_t> next_slice_, next_instant_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SAMPLES_H_
