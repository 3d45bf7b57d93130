// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORDED_SCHED_H_
#define PERF2X_SESSION_RECORDED_SCHED_H_

#include "converter/base/diagnostics.h"
#include "converter/perf/stream/sched_key_reader.h"
#include "converter/session/recorded_formats.h"

namespace perf2x {

// Finds in the recorded formats of the scheduler's tracepoints where their
// samples tell of switches and wake-ups, if SchedTracker can follow these.
// Damage of formats is not counted: the session reads them as well. Not
// thread-safe.
class RecordedSchedTracepoints final : public SchedTracepoints {
 public:
  bool Observe(const RawRecord& record) override;
  SchedPlaces PlacesOf(const EventAttr& attr) const override;

 private:
  Diagnostics unused_;
  RecordedFormats formats_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORDED_SCHED_H_
