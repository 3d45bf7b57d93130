// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_TRACE_INFO_H_
#define PERF2X_SESSION_TRACE_INFO_H_

#include <string>
#include <vector>

#include "converter/model/model.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/header/features.h"

namespace perf2x {

// Returns the TraceInfo for Emitter::Begin from a recording's header. `input`
// is the recording's name. The clock is taken from the first event's attr.
TraceInfo MakeTraceInfo(const std::string& input,
                        const HeaderFeatures& features,
                        const std::vector<RecordedEvent>& events);

}  // namespace perf2x

#endif  // PERF2X_SESSION_TRACE_INFO_H_
