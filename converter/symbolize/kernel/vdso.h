// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_VDSO_H_
#define PERF2X_SYMBOLIZE_KERNEL_VDSO_H_

#include <memory>

#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// Returns the vDSO with this build id from the archive or the build-id cache.
// If neither has it, returns the running kernel's vDSO. The caller must compare
// the build id of the result. Null if there is none.
std::unique_ptr<ElfFile> OpenVdso(const BinaryFinder& finder,
                                  const BuildId& id);

// Symbols of the vDSO with the recorded build id. If no build id was recorded,
// uses the running kernel's vDSO for 64-bit processes, provided that
// SymbolizeOptions::running_kernel is set.
class VdsoSource final : public SymbolSource {
 public:
  explicit VdsoSource(const SymbolSourceContext& context) : context_(context) {}
  // Returns null if no vDSO can be used, and for all kinds but kVdso.
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  const SymbolSourceContext context_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_VDSO_H_
