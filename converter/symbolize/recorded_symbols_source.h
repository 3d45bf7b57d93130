// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_RECORDED_SYMBOLS_SOURCE_H_
#define PERF2X_SYMBOLIZE_RECORDED_SYMBOLS_SOURCE_H_

#include <memory>

#include "converter/symbolize/elf/elf_source.h"
#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// Functions that the recording has itself (RecordedSymbols). If the DSO's ELF
// file is found and has a function of the same name at an address, it adds
// lines and inlined functions. Addresses without a recorded function are looked
// up in the ELF file alone.
class RecordedSymbolsSource final : public SymbolSource {
 public:
  explicit RecordedSymbolsSource(const SymbolSourceContext& context)
      : context_(context), elf_(context) {}
  // Returns a symbolizer for `dso`, whose report is then verified. Null if the
  // recording has no functions of it. Also opens the DSO's ELF file. Adds the
  // files used or rejected to the report.
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  const SymbolSourceContext context_;
  ElfSource elf_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_RECORDED_SYMBOLS_SOURCE_H_
