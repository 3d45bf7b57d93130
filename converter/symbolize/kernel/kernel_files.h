// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_KERNEL_FILES_H_
#define PERF2X_SYMBOLIZE_KERNEL_KERNEL_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// The host kernel's own ELF file: --vmlinux or, without that option, the file
// of the recorded release. Without a recorded build id, the release is used
// only if the recording was made on this machine (same_host). If none of these
// files can be used, searches for a file with the recorded build id.
class VmlinuxSource final : public SymbolSource {
 public:
  explicit VmlinuxSource(const SymbolSourceContext& context)
      : context_(context) {}
  // See SymbolSourceEntry::add_places.
  static void AddPlaces(const SymbolizeOptions& options,
                        std::vector<std::string>* places);
  // Returns null if no file can be used, and for all kinds but kKernel.
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  // Returns --vmlinux or, without it, where files of the recorded release lie.
  std::vector<FilePlace> NamedPlaces(const Dso& dso) const;
  // Tries NamedPlaces, then the build id. Without a build id, takes the first
  // kernel that it finds. Returns null if there is none.
  std::shared_ptr<const ElfFile> Find(const Dso& dso, DsoReport* report) const;

  const SymbolSourceContext context_;
};

// The ELF file of a kernel module (.ko) that was recorded with its path and
// address.
class KernelModuleSource final : public SymbolSource {
 public:
  explicit KernelModuleSource(const SymbolSourceContext& context)
      : context_(context) {}
  // Returns null if the file is not found, and for all DSOs but modules with a
  // path and an address.
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  const SymbolSourceContext context_;
};

// Returns the distance, modulo 2^64, from a recorded kernel address to the
// address in a file (vmlinux or kallsyms). This is the negative of the KASLR
// offset. `address_in_file` is the address of Dso::reference_symbol in the
// file. Returns 0 if `address_in_file` or Dso::reference_address is 0 (not
// known).
uint64_t KernelDelta(const Dso& kernel, uint64_t address_in_file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KERNEL_FILES_H_
