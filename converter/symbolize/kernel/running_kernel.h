#ifndef PERF2X_SYMBOLIZE_KERNEL_RUNNING_KERNEL_H_
#define PERF2X_SYMBOLIZE_KERNEL_RUNNING_KERNEL_H_

#include <memory>

#include "converter/base/build_id.h"
#include "converter/symbolize/elf/elf_file.h"

namespace perf2x {

// The build id of the kernel that runs here; empty when it does not tell.
BuildId RunningKernelBuildId();

// The library that this kernel maps into every process of this program's
// architecture; null when there is none.
std::unique_ptr<ElfFile> RunningVdso();

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_RUNNING_KERNEL_H_
