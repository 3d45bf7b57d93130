// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_SYSCALL_PAIRS_H_
#define PERF2X_EMIT_SYSCALL_PAIRS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/emit/tracepoint_roles.h"
#include "converter/emit/track_id.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A system call that returned. Times are ns; `end` is not before `begin`.
struct SystemCall {
  std::string name;
  uint64_t begin = 0, end = 0;
};

// Pairs the entry and exit tracepoints of system calls, by thread. A call
// without an exit is dropped. Charges no budget. Not thread-safe.
class SyscallPairs {
 public:
  // `arch` is as in uname -m.
  explicit SyscallPairs(std::string arch) : arch_(std::move(arch)) {}

  // Handles a sample. `use` is the result of TracepointUseOf for the sample's
  // event. `fields` is Sample::tracepoint. Returns the system call that the
  // sample ends; nullopt if there is none. An exit ends a call only if the
  // thread's last entry has the same name and group (raw_syscalls or syscalls).
  // A call that both groups recorded is returned once, for raw_syscalls.
  std::optional<SystemCall> OnSample(const TracepointUse& use, TrackId track,
                                     uint64_t time, Fields fields);

 private:
  struct Call {
    std::string name;     // empty: no call is open
    bool is_raw = false;  // the entry was of the group raw_syscalls
    uint64_t begin = 0;
  };
  // Returns the name of the call with the number in the integer field "id";
  // without a name, "syscall 999". Empty if there is no such field.
  std::string NameByNumber(Fields fields) const;

  const std::string arch_;
  std::vector<Call> calls_;  // by TrackId
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_SYSCALL_PAIRS_H_
