// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/recorded_symbols_source.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/demangle.h"
#include "converter/symbolize/elf/elf_source.h"
#include "converter/symbolize/kernel/kernel_files.h"
#include "converter/symbolize/recorded_symbols.h"

namespace perf2x {
namespace {

class RecordedSymbolizer final : public DsoSymbolizer {
 public:
  // `elf` may be null.
  RecordedSymbolizer(const SymbolizeOptions& options,
                     std::unique_ptr<DsoSymbolizer> elf)
      : options_(options), elf_(std::move(elf)) {}

  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override {
    std::vector<std::string> names(addresses.size());
    options_.recorded->Find(dso, addresses,
                            [&](size_t i, absl::string_view name) {
                              names[i] = std::string(name);
                            });
    size_t next = 0;
    const auto report_until = [&](size_t end) {
      for (; next < end; ++next) {
        if (names[next].empty()) continue;
        Symbol symbol;
        symbol.name = Demangled(names[next]);
        symbol.system_name = names[next];
        found(next, {&symbol, 1});
      }
    };
    if (elf_ != nullptr) {
      elf_->Resolve(
          dso, addresses, [&](size_t i, absl::Span<const Symbol> symbols) {
            report_until(i);
            if (names[i].empty() || names[i] == symbols.back().system_name) {
              found(i, symbols);
              next = i + 1;
            }
          });
    }
    report_until(addresses.size());
  }

  std::shared_ptr<CodeImage> OpenCode() override {
    return elf_ == nullptr ? nullptr : elf_->OpenCode();
  }
  std::vector<std::string> Warnings() const override {
    std::vector<std::string> warnings;
    if (elf_ != nullptr) warnings = elf_->Warnings();
    if (!exhausted_.empty()) {
      warnings.push_back(DemanglingStoppedWarning(exhausted_));
    }
    return warnings;
  }
  void Release() override {
    if (elf_ != nullptr) elf_->Release();
  }

 private:
  // Each name is demangled once: equal pointers must mean equal names.
  absl::string_view Demangled(const std::string& symbol) {
    auto [it, inserted] = demangled_.try_emplace(symbol);
    if (!inserted) return *it->second;
    // Names of the dynamic linker's own functions (Dso::Demangle() in
    // simpleperf/dso.cpp).
    absl::string_view rest = symbol;
    const bool linker = absl::ConsumePrefix(&rest, "__dl_");
    Budget& budget = *options_.name_budget;
    std::string name = DemangleSymbol(rest, options_.demangle, budget);
    if (name != rest) budget.Spend(Budget::kMemory, 2 * name.size());
    if (exhausted_.empty()) exhausted_ = budget.exhausted_name();
    if (linker && options_.demangle != Demangle::kNone) {
      name = absl::StrCat("[linker]", name);
    } else if (linker) {
      name = symbol;
    }
    it->second = std::make_unique<std::string>(std::move(name));
    return *it->second;
  }

  const SymbolizeOptions& options_;
  const std::unique_ptr<DsoSymbolizer> elf_;
  std::string exhausted_;  // the resource of the names' budget, if it is
  absl::flat_hash_map<std::string, std::unique_ptr<std::string>> demangled_;
};

}  // namespace

std::unique_ptr<DsoSymbolizer> RecordedSymbolsSource::Open(const Dso& dso,
                                                           DsoReport* report) {
  const SymbolizeOptions& options = context_.options;
  if (options.recorded == nullptr || !options.recorded->Has(dso))
    return nullptr;
  std::unique_ptr<DsoSymbolizer> elf =
      dso.kind == DsoKind::kKernelModule
          ? KernelModuleSource(context_).Open(dso, report)
          : ElfSource(context_).Open(dso, report);
  report->sources.push_back("the recording");
  report->verified = true;
  return std::make_unique<RecordedSymbolizer>(options, std::move(elf));
}

}  // namespace perf2x
