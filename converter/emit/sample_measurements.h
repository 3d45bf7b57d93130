// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_SAMPLE_MEASUREMENTS_H_
#define PERF2X_EMIT_SAMPLE_MEASUREMENTS_H_

#include "converter/model/emitter.h"

namespace perf2x {

// Returns true if one of `fields` is a measurement of the event
// (SampleField::is_measurement) and has a value. Unsigned 0 and an empty text
// count as no value: recorders write them for unknown values.
bool HasMeasurement(Fields fields);

}  // namespace perf2x

#endif  // PERF2X_EMIT_SAMPLE_MEASUREMENTS_H_
