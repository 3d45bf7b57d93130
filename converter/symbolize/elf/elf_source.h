// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_SOURCE_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_SOURCE_H_

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// Symbols and debug information of programs and libraries, from the ELF files
// that BinaryFinder finds. DSOs for which it finds the same files share their
// tables.
class ElfSource final : public SymbolSource {
 public:
  explicit ElfSource(const SymbolSourceContext& context) : context_(context) {}
  // Returns null for all kinds but kFile and kGuestUser, and if no file is
  // found. Sets DsoReport::verified.
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  struct Shared;
  class Handle;
  // The binary, or null, and the symbol files.
  using Files = std::vector<std::shared_ptr<const ElfFile>>;

  const SymbolSourceContext context_;
  std::mutex mutex_;  // guards shared_
  std::map<Files, std::shared_ptr<Shared>> shared_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SOURCE_H_
