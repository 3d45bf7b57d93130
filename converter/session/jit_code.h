// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_JIT_CODE_H_
#define PERF2X_SESSION_JIT_CODE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/address_spaces.h"
#include "converter/session/dso_table.h"
#include "converter/session/thread_table.h"
#include "converter/symbolize/jit/jitdump.h"

namespace perf2x {

// Maps the functions in jitdumps into the address spaces of their processes,
// each at the time when it was loaded or moved. Not thread-safe.
class JitCode {
 public:
  // All must outlive this object.
  JitCode(DsoTable& dsos, AddressSpaces& spaces, ThreadTable& threads)
      : dsos_(dsos), address_spaces_(spaces), threads_(threads) {}

  // Sets the conversion from the CPU's time stamp counter (TSC), which some
  // jitdumps use, to the recording's clock. Applies to later calls of Add.
  void SetTimeConversion(const TimeConvRecord& conversion) {
    conversion_ = conversion;
  }
  // How much of a jitdump is used. kBeginning: the events before damage or a
  // truncated end. kNothing: the times need a conversion that is not set or not
  // valid.
  enum class Usable { kNothing, kBeginning, kAll };
  // Adds a jitdump, which must not be null. Returns how much of it is used.
  // Only Advance maps its functions. `pid` is the recorded pid of the process
  // that mapped the jitdump. In a container, the pid in the jitdump differs.
  Usable Add(std::unique_ptr<JitDump> dump, int32_t pid);
  // Returns how many functions have no lines because they are damaged, of all
  // jitdumps so far.
  uint64_t functions_with_damaged_lines() const { return damaged_lines_; }
  // Returns the machine code of a function that was mapped; empty if it is not
  // known. Valid as long as this object.
  absl::Span<const uint8_t> CodeOf(DsoId function) const {
    const auto it = code_.find(function);
    return it == code_.end() ? absl::Span<const uint8_t>() : it->second;
  }
  // Returns true if events of jitdumps are left to apply. Then Advance must be
  // called before the next record is applied.
  bool pending() const { return !due_.empty(); }
  // Returns the time of the earliest event that is left; if none is, the
  // largest number.
  uint64_t next_time() const {
    return due_.empty() ? ~uint64_t{0} : due_.front().first;
  }
  // Applies the loads and moves up to and including `time`, in ns of the
  // recording's clock. Ignores moves of functions that were not loaded, and
  // empty ranges.
  void Advance(uint64_t time);

 private:
  struct Dump {
    std::unique_ptr<JitDump> dump;
    int32_t pid;
    std::vector<JitDump::Event> events;  // by time
    size_t next = 0;
    absl::flat_hash_map<uint64_t, DsoId> by_index;
  };
  void Push(uint32_t index);
  void Apply(Dump& dump, const JitDump::Event& event);

  DsoTable& dsos_;
  AddressSpaces& address_spaces_;
  ThreadTable& threads_;
  std::optional<TimeConvRecord> conversion_;
  std::vector<Dump> dumps_;
  uint64_t damaged_lines_ = 0;
  absl::flat_hash_map<DsoId, absl::Span<const uint8_t>> code_;
  // A heap of the dumps with events left: the time of the next event, and the
  // index in dumps_.
  std::vector<std::pair<uint64_t, uint32_t>> due_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_JIT_CODE_H_
