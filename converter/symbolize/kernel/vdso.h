// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_VDSO_H_
#define PERF2X_SYMBOLIZE_KERNEL_VDSO_H_

#include <memory>

#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// Returns the vDSO with this build id from the archive or the build-id cache.
// If they lack it, returns the running kernel's vDSO, whose build id the caller
// has to compare; null if there is none.
std::unique_ptr<ElfFile> OpenVdso(const BinaryFinder& finder,
                                  const BuildId& id);

// Symbols of the vDSO. It must have the recorded build id. If none was
// recorded, the running kernel's vDSO is used for 64-bit processes if
// SymbolizeOptions::running_kernel is set.
class VdsoSource final : public SymbolSource {
 public:
  explicit VdsoSource(const SymbolSourceContext& context) : context_(context) {}
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  const SymbolSourceContext context_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_VDSO_H_
