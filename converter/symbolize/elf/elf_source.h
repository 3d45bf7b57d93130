// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_SOURCE_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_SOURCE_H_

#include <memory>

#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// Symbols and debug information of programs and libraries, from the ELF files
// that BinaryFinder finds.
class ElfSource final : public SymbolSource {
 public:
  explicit ElfSource(const SymbolSourceContext& context) : context_(context) {}
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  const SymbolSourceContext context_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SOURCE_H_
