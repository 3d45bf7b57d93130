// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_SAMPLE_MEASUREMENTS_H_
#define PERF2X_EMIT_SAMPLE_MEASUREMENTS_H_

#include "converter/model/emitter.h"

namespace perf2x {

// Returns true if a field is what the event measured
// (SampleField::is_measurement) and has a value: recorders write a field
// without one as 0 or as an empty text.
bool HasMeasurement(Fields fields);

}  // namespace perf2x

#endif  // PERF2X_EMIT_SAMPLE_MEASUREMENTS_H_
