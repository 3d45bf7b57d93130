// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/jit/generated_code.h"

#include <algorithm>
#include <string>
#include <vector>

#include "converter/symbolize/demangle.h"

namespace perf2x {
namespace {

class GeneratedCodeSymbolizer final : public DsoSymbolizer {
 public:
  explicit GeneratedCodeSymbolizer(const SymbolizeOptions& options)
      : options_(options) {}

  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override {
    if (dso.symbol.empty()) return;
    const std::string name = Demangled(dso.symbol);
    for (size_t i = 0; i < addresses.size(); ++i) {
      Symbol symbol;
      symbol.name = name;
      symbol.system_name = dso.symbol;
      AddLine(dso, addresses[i], &symbol);
      found(i, {&symbol, 1});
    }
  }

  std::vector<std::string> Warnings() const override {
    if (exhausted_.empty()) return {};
    return {DemanglingStoppedWarning(exhausted_)};
  }

 private:
  std::string Demangled(const std::string& symbol) {
    Budget& budget = *options_.name_budget;
    std::string name = DemangleSymbol(symbol, options_.demangle, budget);
    // The symbol itself was charged to the recording's own budget.
    if (name != symbol) budget.Spend(Budget::kMemory, 2 * name.size());
    if (budget.exhausted() && exhausted_.empty()) {
      exhausted_ = std::string(budget.exhausted_name());
    }
    return name;
  }

  static void AddLine(const Dso& dso, uint64_t address, Symbol* symbol) {
    if (dso.lines == nullptr || dso.lines->empty()) return;
    auto it = std::upper_bound(
        dso.lines->begin(), dso.lines->end(), address - dso.start,
        [](uint64_t o, const GeneratedLine& l) { return o < l.offset; });
    if (it == dso.lines->begin()) return;
    --it;
    symbol->file = it->file;
    symbol->line = it->line;
    symbol->start_line = dso.lines->front().line;
  }

  const SymbolizeOptions& options_;
  std::string exhausted_;  // exhausted resource of the name budget; empty: none
};

}  // namespace

std::unique_ptr<DsoSymbolizer> GeneratedCodeSource::Open(const Dso& dso,
                                                         DsoReport*) {
  if (dso.kind != DsoKind::kGenerated) return nullptr;
  return std::make_unique<GeneratedCodeSymbolizer>(options_);
}

}  // namespace perf2x
