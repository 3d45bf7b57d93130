// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CPU_MODE_NAME_H_
#define PERF2X_EMIT_CPU_MODE_NAME_H_

#include "absl/strings/string_view.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Returns "kernel", "user", …; empty if not known.
inline absl::string_view CpuModeName(CpuMode mode) {
  switch (mode) {
    case CpuMode::kUnknown:
      return "";
    case CpuMode::kKernel:
      return "kernel";
    case CpuMode::kUser:
      return "user";
    case CpuMode::kHypervisor:
      return "hypervisor";
    case CpuMode::kGuestKernel:
      return "guest kernel";
    case CpuMode::kGuestUser:
      return "guest user";
  }
  return "";
}

}  // namespace perf2x

#endif  // PERF2X_EMIT_CPU_MODE_NAME_H_
