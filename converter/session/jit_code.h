// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_JIT_CODE_H_
#define PERF2X_SESSION_JIT_CODE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/address_spaces.h"
#include "converter/session/dso_table.h"
#include "converter/session/thread_table.h"
#include "converter/symbolize/jit/jitdump.h"

namespace perf2x {

// Maps the functions in jitdumps into the address spaces of their processes,
// each at the time when it was loaded or moved.
class JitCode {
 public:
  JitCode(DsoTable& dsos, AddressSpaces& spaces, ThreadTable& threads)
      : dsos_(dsos), address_spaces_(spaces), threads_(threads) {}

  // Sets the conversion from the CPU's time stamp counter (TSC), which some
  // jitdumps use, to the recording's clock. Applies to later calls of Add.
  void SetTimeConversion(const TimeConvRecord& conversion) {
    conversion_ = conversion;
  }
  // How much of a jitdump can be used. kBeginning: what precedes damage or a
  // truncated end. kNothing: its times cannot be converted.
  enum class Usable { kNothing, kBeginning, kAll };
  // Adds the jitdump that the process `pid` mapped. `pid` is that of the
  // recording; the pid in the jitdump differs if the process runs in a
  // container.
  Usable Add(std::unique_ptr<JitDump> dump, int32_t pid);
  // If true, call Advance before processing the next record: jitdump events may
  // be left to apply.
  bool pending() const { return pending_; }
  // Applies the loads and moves up to `time`.
  void Advance(uint64_t time);

 private:
  struct Dump {
    std::unique_ptr<JitDump> dump;
    int32_t pid;
    std::vector<JitDump::Event> events;  // by time
    size_t next = 0;
    absl::flat_hash_map<uint64_t, DsoId> by_index;
  };
  void Apply(Dump& dump, const JitDump::Event& event);

  DsoTable& dsos_;
  AddressSpaces& address_spaces_;
  ThreadTable& threads_;
  std::optional<TimeConvRecord> conversion_;
  std::vector<Dump> dumps_;
  bool pending_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_JIT_CODE_H_
