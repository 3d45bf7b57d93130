// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_KERNEL_FILES_H_
#define PERF2X_SYMBOLIZE_KERNEL_KERNEL_FILES_H_

#include <memory>

#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// The kernel's own ELF file: --vmlinux, else by build id or release.
class VmlinuxSource final : public SymbolSource {
 public:
  explicit VmlinuxSource(const SymbolSourceContext& context)
      : context_(context) {}
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  std::vector<FilePlace> Places(const Dso& dso) const;
  // Returns null if no place has the recorded kernel.
  std::unique_ptr<ElfFile> Find(const Dso& dso, DsoReport* report) const;

  const SymbolSourceContext context_;
};

// The ELF file of a kernel module (.ko).
class KernelModuleSource final : public SymbolSource {
 public:
  explicit KernelModuleSource(const SymbolSourceContext& context)
      : context_(context) {}
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  const SymbolSourceContext context_;
};

// Returns what to add to a recorded kernel address to get its address in a
// file: the address of the reference symbol in the file minus the recorded one;
// 0 if either is unknown. Kernels are loaded at another address on each boot
// (KASLR).
uint64_t KernelDelta(const Dso& kernel, uint64_t address_in_file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KERNEL_FILES_H_
