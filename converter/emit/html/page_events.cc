// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/page_events.h"

#include <algorithm>
#include <utility>

#include "converter/emit/event_names.h"

namespace perf2x {

void PageEvents::Add(HtmlRecording* recording) {
  std::vector<bool> sampled(recording->events.size());
  for (const SampleLane& lane : recording->lanes) sampled[lane.event] = true;
  const std::vector<std::string> names = DistinctEventNames(recording->events);
  std::vector<EventId> numbers(sampled.size(), kNoId);
  for (EventId id = 0; id < sampled.size(); ++id) {
    if (!sampled[id]) continue;
    const Event& event = recording->events[id];
    const auto [it, inserted] = ids_.try_emplace(
        {names[id], event.unit}, static_cast<EventId>(events_.size()));
    if (inserted) {
      events_.push_back(event);
      events_.back().name = names[id];
    }
    numbers[id] = it->second;
  }
  for (SampleLane& lane : recording->lanes) lane.event = numbers[lane.event];
}

size_t PageEvents::InitialEvent() const {
  return static_cast<size_t>(
      std::min_element(events_.begin(), events_.end(),
                       [](const Event& a, const Event& b) {
                         return std::pair(!a.derived, a.selection_rank) <
                                std::pair(!b.derived, b.selection_rank);
                       }) -
      events_.begin());
}

}  // namespace perf2x
