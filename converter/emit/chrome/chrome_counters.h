// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_COUNTERS_H_
#define PERF2X_EMIT_CHROME_CHROME_COUNTERS_H_

#include <cstdint>
#include <map>
#include <tuple>

#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Shows counts on counter tracks, one for each combination of event, thread and
// CPU. During the interval of a count, the track has the count's value. Between
// intervals, it has 0. Charges no budget; see memory(). Not thread-safe.
class ChromeCounters {
 public:
  // References must outlive this.
  ChromeCounters(TraceTables& tables, ChromeTracks& tracks, ChromeTrace& trace)
      : tables_(tables), tracks_(tracks), trace_(trace) {}

  // Writes the count; ignores one without a time.
  void OnCounter(const Counter& counter);
  // Ends each track: its value is 0 from the end of its last count on. To be
  // called once, last.
  void Finish();
  // Returns the approximate memory of the tracks, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfNode = 192;  // with what other parts keep
    return series_.size() * (sizeof(*series_.begin()) + kOfNode) + names_;
  }

 private:
  struct Series {
    std::string name;
    absl::string_view unit;
    int32_t pid = 0;
    uint64_t end = 0;  // end time of the last count
  };
  Series Start(const Counter& counter);

  TraceTables& tables_;
  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  // By event, thread and CPU.
  std::map<std::tuple<EventId, ThreadId, int32_t>, Series> series_;
  uint64_t names_ = 0;  // bytes of the names
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_COUNTERS_H_
