// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_KERNEL_MEMORY_H_
#define PERF2X_SESSION_KERNEL_MEMORY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "converter/session/host_environment.h"
#include "converter/symbolize/elf/elf_file.h"

namespace perf2x {

// Code at the run-time addresses [start, start + bytes.size()).
struct CodeBytes {
  uint64_t start = 0;
  absl::Span<const uint8_t> bytes;
  bool has(uint64_t address) const { return address - start < bytes.size(); }
};

// The code of the kernel and of its modules in the recording's copy of the
// kernel's memory (HostEnvironment::OpenKernelMemory): as it was when the
// recording began, with all that the kernel changed in its own code until then.
// Not thread-safe.
class KernelMemory {
 public:
  // `environment` must outlive the object. Opens no file: only At does.
  explicit KernelMemory(HostEnvironment& environment)
      : environment_(environment) {}

  // Returns the code around `address`, up to the ends of its segment; if there
  // is none, CodeBytes without bytes. Valid as long as this object.
  CodeBytes At(uint64_t address);

 private:
  void Open();

  HostEnvironment& environment_;
  bool opened_ = false;
  std::shared_ptr<const ElfFile> file_;  // null: none
  std::vector<CodeBytes> segments_;      // ascending, without overlaps
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_KERNEL_MEMORY_H_
