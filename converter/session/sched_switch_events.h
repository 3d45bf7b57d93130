// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SCHED_SWITCH_EVENTS_H_
#define PERF2X_SESSION_SCHED_SWITCH_EVENTS_H_

#include "converter/base/diagnostics.h"
#include "converter/perf/stream/repeated_switches.h"
#include "converter/session/recorded_formats.h"

namespace perf2x {

// Knows that samples of sched:sched_switch tell of switches, if the
// tracepoint's format was recorded and SchedTracker can follow its samples.
// Damage of formats is not counted: the session reads them as well. Not
// thread-safe.
class SchedSwitchEvents final : public SwitchEvents {
 public:
  bool Observe(const RawRecord& record) override;
  SwitchPlaces PlacesOf(const EventAttr& attr) const override;

 private:
  Diagnostics unused_;
  RecordedFormats formats_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SCHED_SWITCH_EVENTS_H_
