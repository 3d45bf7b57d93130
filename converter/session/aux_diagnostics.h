// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_AUX_DIAGNOSTICS_H_
#define PERF2X_SESSION_AUX_DIAGNOSTICS_H_

#include <cstdint>

#include "converter/base/diagnostics.h"

// Diagnostics on AUX data, the bytes of hardware traces: messages that
// Diagnose() looks up, and those that all kinds of traces share.

namespace perf2x {

inline constexpr char kMissingAuxData[] =
    "bytes of AUX data that the recording lacks";
inline constexpr char kMissingIntelPtCode[] =
    "stretch of Intel PT trace through code whose file was not found (see "
    "--symfs)";
inline constexpr char kMissingCoreSightCode[] =
    "place in a CoreSight trace whose code was not found (see --symfs and "
    "--vmlinux), so that what ran from there on is not known";

// Counts the bytes of an AUXTRACE record's data that earlier records had:
// `repeated` of `size`. `offset` is the record's. Does nothing if there are
// none.
inline void CountRepeatedAuxData(uint64_t offset, uint64_t size,
                                 uint64_t repeated, Diagnostics& diagnostics) {
  if (repeated == 0) return;
  diagnostics.Add(Diagnostics::Severity::kDamage,
                  repeated == size
                      ? "AUXTRACE record whose data came before"
                      : "AUXTRACE record of whose data a part came before",
                  offset, repeated);
}

// Counts bytes that the AUX record at `offset` names, but that no AUXTRACE
// record has. Does nothing if there are none.
inline void CountMissingAuxData(uint64_t offset, uint64_t bytes,
                                Diagnostics& diagnostics) {
  if (bytes == 0) return;
  diagnostics.Add(Diagnostics::Severity::kDamage, kMissingAuxData, offset, 0,
                  bytes);
}

}  // namespace perf2x

#endif  // PERF2X_SESSION_AUX_DIAGNOSTICS_H_
