// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_RUNNING_KERNEL_H_
#define PERF2X_SYMBOLIZE_KERNEL_RUNNING_KERNEL_H_

#include <memory>

#include "converter/base/build_id.h"
#include "converter/symbolize/elf/elf_file.h"

namespace perf2x {

// Returns the build id of the running kernel; empty if it has none or
// /sys/kernel/notes cannot be read.
BuildId RunningKernelBuildId();

// Returns the vDSO that the running kernel maps into processes of this
// program's architecture; null if there is none.
std::unique_ptr<ElfFile> RunningVdso();

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_RUNNING_KERNEL_H_
