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

// Shows counts: a counter track for each event and thread or CPU, which has a
// count's value from the beginning to the end of its counting. Not thread-safe.
class ChromeCounters {
 public:
  ChromeCounters(TraceTables& tables, ChromeTracks& tracks, ChromeTrace& trace)
      : tables_(tables), tracks_(tracks), trace_(trace) {}

  void OnCounter(const Counter& counter);
  // Ends all tracks.
  void Finish();

 private:
  struct Series {
    std::string name;
    absl::string_view unit;
    int32_t pid = 0;
    uint64_t end = 0;  // of the last count
  };
  Series Start(const Counter& counter);

  TraceTables& tables_;
  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  // By event, thread and CPU.
  std::map<std::tuple<EventId, ThreadId, int32_t>, Series> series_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_COUNTERS_H_
