// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_COUNTERS_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_COUNTERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "converter/emit/firefox/firefox_tracks.h"
#include "converter/emit/json_writer.h"
#include "converter/emit/number_log.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Keeps counter values and the resident memory of processes, and writes both as
// counter tracks at the end of the trace. Does not check the budget: the caller
// does, and charges memory(). A counter track has at most 2^32 - 1 values;
// further values are dropped. Not thread-safe.
class FirefoxCounters {
 public:
  // All must outlive this.
  FirefoxCounters(TraceTables& tables, const FirefoxTracks& tracks,
                  FirefoxTimes& times)
      : tables_(tables), tracks_(tracks), times_(times) {}

  // Adds a counter value. `counter.time` must be present. `track` is the track
  // of the counter's thread; kNoId if it has none. A time before the latest one
  // of the counter track counts as the latest one.
  void OnCounter(const Counter& counter, TrackId track);
  // Adds the memory size in a sample of the tracepoint kmem:rss_stat. The
  // sample must have a time. `track` is the track of its thread. Does nothing
  // for swapped pages, or if fields are missing. An address space has at most
  // 16 kinds of pages; further kinds are ignored.
  void OnMemory(const Sample& sample, TrackId track);

  // Returns true if there were counter values without a thread.
  bool has_cpu_counters() const { return has_cpu_counters_; }
  // Writes the list "counters". `thread_of(track)` must return the index and
  // the pid, as text, of a row in the profile's list of threads. The row is
  // that of the main thread of the track's process; for kNoId, that of the
  // CPUs.
  using ThreadOf = absl::FunctionRef<std::pair<int64_t, std::string>(TrackId)>;
  void Write(ThreadOf thread_of, JsonWriter& json) const;
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    return log_memory_ + series_.size() * 2 * sizeof(Series) +
           spaces_.size() * 2 * sizeof(Space);
  }

 private:
  struct Series {
    Series(std::string called, std::string in, TrackId of, bool memory,
           uint64_t* log_memory)
        : name(std::move(called)),
          unit(std::move(in)),
          track(of),
          is_memory(memory),
          log(log_memory) {}
    std::string name, unit;
    TrackId track;
    bool is_memory;
    NumberLog log;  // times, as differences, and values, as bits of a double
    uint32_t count = 0;
    uint64_t last_time = 0;
  };
  // The memory of an address space, by kind of page.
  struct Space {
    uint32_t series = kNoId;  // kNoId: its process is not known yet
    std::map<int64_t, int64_t> sizes;
  };

  uint32_t StartSeries(const Counter& counter, TrackId track);
  void Add(Series& series, uint64_t time, double value);
  void WriteSeries(const Series& series, ThreadOf thread_of,
                   JsonWriter& json) const;
  static void WriteDisplay(const Series& series, JsonWriter& json);

  TraceTables& tables_;
  const FirefoxTracks& tracks_;
  FirefoxTimes& times_;
  bool has_cpu_counters_ = false;
  uint64_t log_memory_ = 0;
  std::vector<Series> series_;
  absl::flat_hash_map<std::tuple<EventId, TrackId, int32_t>, uint32_t> ids_;
  absl::flat_hash_map<uint64_t, Space> spaces_;  // by the tracepoint's mm_id
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_COUNTERS_H_
