// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_CPU_MODE_H_
#define PERF2X_SESSION_CPU_MODE_H_

#include <cstdint>

#include "converter/model/emitter.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

// Returns the mode in a record's `misc`.
inline CpuMode CpuModeOf(uint16_t misc) {
  switch (misc & kMiscCpuModeMask) {
    case kMiscKernel:
      return CpuMode::kKernel;
    case kMiscUser:
      return CpuMode::kUser;
    case kMiscHypervisor:
      return CpuMode::kHypervisor;
    case kMiscGuestKernel:
      return CpuMode::kGuestKernel;
    case kMiscGuestUser:
      return CpuMode::kGuestUser;
    default:
      return CpuMode::kUnknown;
  }
}

// Returns the context marker that precedes addresses of this mode in a
// callchain.
inline uint64_t ContextMarkerOf(uint16_t misc) {
  switch (CpuModeOf(misc)) {
    case CpuMode::kKernel:
      return kContextKernel;
    case CpuMode::kHypervisor:
      return kContextHypervisor;
    case CpuMode::kGuestKernel:
      return kContextGuestKernel;
    case CpuMode::kGuestUser:
      return kContextGuestUser;
    default:
      return kContextUser;
  }
}

}  // namespace perf2x

#endif  // PERF2X_SESSION_CPU_MODE_H_
