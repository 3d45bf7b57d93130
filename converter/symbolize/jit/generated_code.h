// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_JIT_GENERATED_CODE_H_
#define PERF2X_SYMBOLIZE_JIT_GENERATED_CODE_H_

#include <memory>

#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// Symbols and lines of generated code, from the Dso itself (Dso::symbol and
// Dso::lines). The session takes these from jitdumps, KSYMBOL records and BPF
// program information.
class GeneratedCodeSource final : public SymbolSource {
 public:
  explicit GeneratedCodeSource(const SymbolSourceContext& context)
      : options_(context.options) {}
  // Returns a symbolizer for DSOs of kind kGenerated; null for others. Opens no
  // file.
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  const SymbolizeOptions& options_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_JIT_GENERATED_CODE_H_
