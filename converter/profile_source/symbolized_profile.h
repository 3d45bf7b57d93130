// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_SYMBOLIZED_PROFILE_H_
#define PERF2X_PROFILE_SOURCE_SYMBOLIZED_PROFILE_H_

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/model/trace_tables.h"
#include "converter/profile_source/profile.h"
#include "converter/profile_source/profile_encoder.h"
#include "converter/profile_source/profile_trace.h"

namespace perf2x {

// Writes `profile` with the samples that `gate` keeps, and with the symbols
// found for locations without one. Samples, locations and mappings keep their
// ids and order. Functions and strings are in the pprof emitter's order. So the
// bytes equal those of a profile that was symbolized when it was made.
//
// `trace` must belong to `profile` and `tables`. Call
// ProfileTrace::InternAllFrames first, and symbolize all frames of `tables`.
// Fails with DataLoss if a sample is damaged, and with the errors of `output`,
// which it does not close.
absl::Status WriteSymbolizedProfile(const Profile& profile,
                                    const ProfileTrace& trace,
                                    TraceTables& tables, SampleGate gate,
                                    Output& output);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_SYMBOLIZED_PROFILE_H_
