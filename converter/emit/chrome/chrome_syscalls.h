#ifndef PERF2X_EMIT_CHROME_CHROME_SYSCALLS_H_
#define PERF2X_EMIT_CHROME_CHROME_SYSCALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Pairs the tracepoints at which system calls are entered and left, and shows
// each pair as a slice with the call's name.
class ChromeSyscalls {
 public:
  // `arch` as uname -m gives it. `own_rows`: whether the slices go on rows of
  // their own, because those of the threads have slices that calls would cross.
  ChromeSyscalls(std::string arch, bool own_rows, ChromeTracks& tracks,
                 ChromeTrace& trace)
      : arch_(std::move(arch)),
        own_rows_(own_rows),
        tracks_(tracks),
        trace_(trace) {}

  // Takes any tracepoint; `event` is its name, `system:name`.
  void Sample(absl::string_view event, TrackId track, uint64_t time,
              Fields fields);

 private:
  struct Call {
    std::string name;  // empty: none is open
    bool raw = false;  // by raw_syscalls
    uint64_t begin = 0;
  };
  // `rest` is what follows "sys_enter" or "sys_exit".
  std::string NameOf(absl::string_view rest, Fields fields) const;

  const std::string arch_;
  const bool own_rows_;
  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  std::vector<Call> calls_;  // by TrackId
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SYSCALLS_H_
