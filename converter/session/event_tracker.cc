// SPDX-License-Identifier: Apache-2.0
#include "converter/session/event_tracker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/session/sched_events.h"

namespace perf2x {

EventTracker::EventTracker(AttrTable& attrs, TraceTables& tables,
                           SampleSelector* selector, Diagnostics& diagnostics,
                           Budget& budget)
    : attrs_(attrs),
      tables_(tables),
      selector_(selector),
      diagnostics_(diagnostics),
      budget_(budget) {}

void EventTracker::Sync() {
  seen_version_ = attrs_.version();
  // Whatever is in the table beyond the known events was added by stages.
  if (added_ == 0 && tables_.events.size() > known_) {
    added_ = static_cast<uint32_t>(tables_.events.size()) - known_;
    first_late_ = known_;
  }
  known_ = static_cast<uint32_t>(attrs_.events().size());
  tables_.events.resize(known_ + added_);
  is_sched_.resize(known_);
  sched_formats_.resize(known_);
  totals_.resize(known_);
  for (const uint32_t event : attrs_.TakeChangedEvents()) SyncEvent(event);
}

void EventTracker::SyncEvent(uint32_t event) {
  const RecordedEvent& from = attrs_.events()[event];
  has_deferred_callchains_ |= from.attr.defer_callchain();
  has_offcpu_ |= from.kind == EventKind::kOffCpu;
  Event& to = tables_.events[IdOf(event)];
  const size_t name_before = to.name.size();
  to.name = from.name;
  to.kind = from.kind;
  to.unit = HasTimePeriods(from.kind) ? "nanoseconds" : "count";
  to.period = from.attr.sample_period;
  to.period_is_frequency = from.attr.freq();
  to.counter_unit = from.unit;
  if (const TracepointFormat* format = FormatOf(from.attr)) {
    to.tracepoint = {std::string(format->system()),
                     std::string(format->name())};
    if (!from.has_recorded_name) {
      to.name = absl::StrCat(format->system(), ":", format->name());
    }
  } else if (to.kind == EventKind::kTracepoint) {
    to.tracepoint = ParseTracepointName(from.name);
  }
  is_sched_[event] = SchedEventDecoder::IsSched(to.tracepoint);
  sched_formats_[event] = is_sched_[event] ? FormatOf(from.attr) : nullptr;
  if (selector_ != nullptr)
    to.selection_rank = selector_->RankOfEvent(IdOf(event));
  constexpr uint64_t kCopiesOfName = 3;  // tables that have the name
  name_bytes_ += kCopiesOfName * (to.name.size() - name_before);
}

void EventTracker::CountTooLargeSum() {
  diagnostics_.Add(Diagnostics::Severity::kDamage,
                   "sample whose event has periods that exceed 64 bits in sum");
}

void EventTracker::ObserveTracingData(const RawRecord& record) {
  if (!formats_.Observe(record, diagnostics_)) return;
  // The names of all tracepoints may change.
  budget_.Spend(Budget::kWork, known_);
  for (uint32_t i = 0; i < known_; ++i) SyncEvent(i);
}

}  // namespace perf2x
