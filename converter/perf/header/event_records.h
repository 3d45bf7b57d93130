// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_EVENT_RECORDS_H_
#define PERF2X_PERF_HEADER_EVENT_RECORDS_H_

#include <cstdint>
#include <optional>

#include "converter/base/byte_reader.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/header/recorded_event.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/user_records.h"

namespace perf2x {

// Returns the event in a HEADER_ATTR record: its attr and layouts. Sets `*ids`
// to its ids, which point into the record. If the record is too short for its
// attr, counts it as skipped and returns nullopt. Notes bits of sample_type
// that are not known.
std::optional<RecordedEvent> ReadEvent(const RawRecord& record, WordSpan* ids,
                                       Diagnostics* diagnostics);

// Sets the unit, the scale or the name of `event` as an EVENT_UPDATE record
// says. A recorded name stays, and an empty one counts as none. Truncates texts
// that are too long, and counts them. `offset` is the record's. Returns false
// if the update is of another kind.
bool ApplyEventUpdate(const EventUpdateRecord& update, uint64_t offset,
                      RecordedEvent* event, Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_EVENT_RECORDS_H_
