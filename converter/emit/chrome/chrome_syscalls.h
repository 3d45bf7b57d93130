// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_SYSCALLS_H_
#define PERF2X_EMIT_CHROME_CHROME_SYSCALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/emit/chrome/tracepoint_roles.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Shows system calls as slices, from the tracepoint at entry to the tracepoint
// at exit. Not thread-safe.
class ChromeSyscalls {
 public:
  // `arch` is as in uname -m. With `own_rows`, calls have separate rows,
  // because their slices would overlap those on the threads' rows.
  ChromeSyscalls(std::string arch, bool own_rows, ChromeTracks& tracks,
                 ChromeTrace& trace)
      : arch_(std::move(arch)),
        own_rows_(own_rows),
        tracks_(tracks),
        trace_(trace) {}

  // Handles a system call's entry or exit; ignores other uses. An exit ends the
  // open call only if it has its name and its group (raw_syscalls or syscalls).
  // If both groups were recorded, only raw_syscalls is shown.
  void OnSample(const TracepointUse& use, TrackId track, uint64_t time,
                Fields fields);

 private:
  struct Call {
    std::string name;        // empty: no call is open
    bool by_number = false;  // the entry's tracepoint has a number
    uint64_t begin = 0;
  };
  // Returns the name of the call whose number is in the integer field "id"
  // ("syscall 999" if it has no name); empty without such a field.
  std::string NameByNumber(Fields fields) const;

  const std::string arch_;
  const bool own_rows_;
  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  std::vector<Call> calls_;  // by TrackId
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SYSCALLS_H_
