// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_CPU_MODE_H_
#define PERF2X_SESSION_CPU_MODE_H_

#include <cstdint>

#include "converter/model/emitter.h"
#include "converter/perf/records/wire.h"
#include "converter/session/address_map.h"

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

// Returns the context marker for addresses of the mode in a record's `misc`.
// Returns kContextUser for an unknown mode.
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

// Returns kContextKernel or kContextUser for an address of a branch. `map` has
// the mappings of user space. An address in the upper half is the kernel's
// unless `map` covers it.
inline uint64_t MarkerOfAddress(uint64_t address, const AddressMap& map) {
  const bool upper = (address >> 63) != 0;
  return upper && map.Find(address) == nullptr ? kContextKernel : kContextUser;
}

}  // namespace perf2x

#endif  // PERF2X_SESSION_CPU_MODE_H_
