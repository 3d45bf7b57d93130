// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_TRACE_H_
#define PERF2X_EMIT_CHROME_CHROME_TRACE_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/output.h"
#include "converter/emit/chrome/chrome_sink.h"
#include "converter/emit/json_writer.h"

namespace perf2x {

// A row of the timeline: its pid and tid in Trace Event Format.
struct ChromeTrack {
  int32_t pid = 0;
  int32_t tid = 0;
};

// Pids of synthetic rows; above the kernel's limit of pids, 2^22.
inline constexpr int32_t kCpusPid = 10'000'000;
inline constexpr int32_t kOffCpuPid = 20'000'000;
// Pid and tid of threads whose tid is negative.
inline constexpr int32_t kNoThread = 30'000'000;
// Tids of the rows with threads' calls begin at this number. These rows have
// the threads' pids.
inline constexpr int32_t kCallsTid = 40'000'000;
// CPUs from this number on share a row, as a recording may claim any number.
// Off-CPU sums of tids from kNoThread on share a row, too.
inline constexpr int32_t kSharedCpu = kOffCpuPid - kCpusPid - 1;
// Return the row of a CPU, of a thread's off-CPU sum, and of a thread's calls.
inline ChromeTrack CpuTrack(int32_t cpu) {
  return {kCpusPid, kCpusPid + std::clamp(cpu, 0, kSharedCpu)};
}
inline ChromeTrack OffCpuTrack(int32_t tid) {
  return {kOffCpuPid, kOffCpuPid + std::min(tid, kNoThread)};
}
inline ChromeTrack CallsTrack(ChromeTrack thread) {
  return {thread.pid, kCallsTid + std::clamp(thread.tid, 0, kNoThread)};
}

// Writes the events of a trace in Trace Event Format, see
// docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
// Times are ns on the recording's clock, written as microseconds since start().
// An end must not be before its begin. A category must not be empty: catapult's
// streaming reader drops events without one. `args` writes the members of an
// event's "args". MaybeFlush and Finish return the output's errors. Not
// thread-safe.
class ChromeTrace {
 public:
  using Args = absl::FunctionRef<void(JsonWriter&)>;

  // If `absolute` is set, writes times since 0 of the clock. Threads of
  // `helpers` format slices, see ChromeSink. `out` must outlive this.
  ChromeTrace(Output& out, bool absolute, HelperPool* helpers);

  // Returns the time that is written as 0: with `absolute`, 0; else the time of
  // the first event. Absent if there was no event yet.
  std::optional<uint64_t> start() const { return start_; }
  // Returns the latest time of an event or of a call of NoteTime; 0 if there
  // was none.
  uint64_t latest() const { return latest_; }
  // Notes that the trace has something at `time`: updates latest(), and sets
  // start() if it is absent. Returns the time from start() to `time`, in ns; 0
  // for earlier times. Writes nothing.
  uint64_t NoteTime(uint64_t time);

  // Write the name or the sort index of a process or thread. `key` is
  // "process_name" or "thread_name". For SortIndex, it is "process_sort_index"
  // or "thread_sort_index".
  void Metadata(absl::string_view key, ChromeTrack track,
                absl::string_view name);
  void SortIndex(absl::string_view key, ChromeTrack track, int64_t index);
  // Writes a slice. It has no args: speedscope treats even empty args as a part
  // of the name.
  void Slice(absl::string_view name, absl::string_view category,
             ChromeTrack track, uint64_t begin, uint64_t end);
  // Make JSON text that many slices share. Never return null. FunctionText is
  // for all slices of a function. `dso` is a second category; empty: none. Row
  // is for all slices of one category on a row. Each call makes a new text,
  // which is valid as long as this.
  const SliceText* FunctionText(absl::string_view name, absl::string_view dso);
  const SliceRow* Row(absl::string_view category, ChromeTrack track);
  // Buffers a slice; thousands are written together. Another event must have
  // been written before the first slice: buffered slices begin with a comma.
  void Slice(const SliceText* text, const SliceRow* row, uint64_t begin,
             uint64_t end);
  // Writes the buffered slices. To be called after a slice with a long text, as
  // the size of texts does not limit the buffer.
  void WriteSlices();
  // Writes a slice that may overlap others of its process. Slices with the same
  // `name` and `id` share a row.
  void AsyncSlice(absl::string_view name, absl::string_view category,
                  ChromeTrack track, uint64_t id, uint64_t begin, uint64_t end,
                  Args args);
  // Writes a point in time on a row.
  void Instant(absl::string_view name, absl::string_view category,
               ChromeTrack track, uint64_t time, Args args);
  // Writes a point in time that viewers show across all rows.
  void GlobalInstant(absl::string_view name, absl::string_view category,
                     ChromeTrack track, uint64_t time, Args args);
  // Writes the value that the process's counter `name` has from `time` on.
  // `unit` names the value; empty: "value".
  void Counter(absl::string_view name, int32_t pid, uint64_t time,
               absl::string_view unit, double value);
  // Writes a thread's state: "Running", or the scheduler's letters if it does
  // not run. A `cpu` of -1 is not shown. `blocked_in` is the function in which
  // the thread waited; empty: not known.
  void ThreadState(absl::string_view state, ChromeTrack track, uint64_t begin,
                   uint64_t end, int32_t cpu, absl::string_view blocked_in);
  // Writes an arrow. It begins in the slice that the row `from` has at
  // `from_time`, and ends in the slice that the row `to` has at `to_time`.
  void Flow(absl::string_view name, absl::string_view category,
            ChromeTrack from, uint64_t from_time, ChromeTrack to,
            uint64_t to_time);
  // Writes a piece of the V8 CPU profile `id`: its start ("Profile") or a part
  // of its samples ("ProfileChunk"). `args` writes the members of "data".
  void Profile(absl::string_view name, ChromeTrack track, uint64_t id,
               uint64_t time, Args args);

  // Writes to the output if enough is buffered. To be called after each event.
  absl::Status MaybeFlush() {
    return status_.ok() ? json_.MaybeFlush() : status_;
  }
  // Writes all buffered events and the end of the trace; does not close the
  // output. `other_data` writes the members of "otherData". To be called once,
  // last.
  absl::Status Finish(Args other_data);

 private:
  void Begin(absl::string_view name, absl::string_view phase,
             absl::string_view category, ChromeTrack track);
  void Place(ChromeTrack track);
  void Time(uint64_t ns);
  void Duration(uint64_t ns);
  void Id(int64_t id);
  void HexId(uint64_t id);
  void End(Args args);
  void End() { json_.Raw("}"); }

  ChromeSink sink_;
  JsonWriter json_;                     // into sink_
  absl::Status status_;                 // of writing slices
  absl::string_view separator_ = "\n";  // before the next event
  std::optional<uint64_t> start_;
  uint64_t latest_ = 0;
  uint64_t flows_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_TRACE_H_
