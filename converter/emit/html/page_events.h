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

// The events of a page: those with samples in a recording or in its base.
// Events with the same name and unit are one.
class PageEvents {
 public:
  // Adds the events of a recording, and replaces the event of each of its lanes
  // by the index in events().
  void Add(HtmlRecording* recording);

  // Names are distinct among events of the same unit.
  const std::vector<Event>& events() const { return events_; }
  // Returns the event to show first: the first in the user's list, if there is
  // one. 0 if there are no events.
  size_t ShownFirst() const;

 private:
  std::vector<Event> events_;
  absl::flat_hash_map<std::pair<std::string, std::string>, EventId> ids_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PAGE_EVENTS_H_
