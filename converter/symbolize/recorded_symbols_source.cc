// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/recorded_symbols_source.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/demangle.h"
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
    std::vector<Name*> names(addresses.size());
    options_.recorded->Find(
        dso, addresses,
        [&](size_t i, absl::string_view name) { names[i] = Intern(name); });
    size_t next = 0;
    const auto report_until = [&](size_t end) {
      for (; next < end; ++next) {
        if (names[next] == nullptr) continue;
        Symbol symbol;
        symbol.name = Demangled(names[next]);
        symbol.system_name = names[next]->symbol;
        found(next, {&symbol, 1});
      }
    };
    if (elf_ != nullptr) {
      elf_->Resolve(dso, addresses,
                    [&](size_t i, absl::Span<const Symbol> symbols) {
                      report_until(i);
                      if (names[i] == nullptr ||
                          names[i]->symbol == symbols.back().system_name) {
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
  struct Name {
    std::string symbol;
    std::optional<std::string> demangled;  // by Demangled()
  };

  // Returns the name of a function. Each is copied and demangled once: equal
  // pointers must mean equal names.
  Name* Intern(absl::string_view symbol) {
    if (last_ != nullptr && last_->symbol == symbol) return last_;
    auto& name = names_[symbol];
    if (name == nullptr) {
      name = std::make_unique<Name>();
      name->symbol = std::string(symbol);
    }
    return last_ = name.get();
  }

  absl::string_view Demangled(Name* name) {
    if (!name->demangled.has_value()) name->demangled = NameOf(name->symbol);
    return *name->demangled;
  }

  std::string NameOf(absl::string_view symbol) {
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
      name = std::string(symbol);
    }
    return name;
  }

  const SymbolizeOptions& options_;
  const std::unique_ptr<DsoSymbolizer> elf_;
  std::string exhausted_;  // the resource of the names' budget, if it is
  absl::flat_hash_map<std::string, std::unique_ptr<Name>> names_;  // by symbol
  Name* last_ = nullptr;  // the last result of Intern
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
          : elf_.Open(dso, report);
  report->sources.push_back("the recording");
  report->verified = true;
  return std::make_unique<RecordedSymbolizer>(options, std::move(elf));
}

}  // namespace perf2x
