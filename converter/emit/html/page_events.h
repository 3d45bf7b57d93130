// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_PAGE_EVENTS_H_
#define PERF2X_EMIT_HTML_PAGE_EVENTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/emit/html/recording.h"

namespace perf2x {

// The events of a page that have samples in its recording or in its base.
// Events of one recording stay apart: two with equal names become "cycles" and
// "cycles#2" (see DistinctEventNames). Events of two recordings are one event
// if these names and their units are equal. Not thread-safe.
class PageEvents {
 public:
  // Adds the events of a recording that have samples. Replaces
  // SampleLane::event of the recording's lanes by an index in events(). To be
  // called once for each recording, the page's own first.
  void Add(HtmlRecording* recording);

  // In the order in which they were added. No two have the same name and unit.
  const std::vector<Event>& events() const { return events_; }
  // Returns the index of the event that the viewer shows at first. Derived
  // events come first, then the order of the user's list (--event), then the
  // lowest index. Returns 0 if there are no events.
  size_t InitialEvent() const;

 private:
  std::vector<Event> events_;
  absl::flat_hash_map<std::pair<std::string, std::string>, EventId> ids_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PAGE_EVENTS_H_
