// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_EVERY_BUILD_SYMBOLIZER_H_
#define PERF2X_COMPARE_EVERY_BUILD_SYMBOLIZER_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/compare/function_name.h"
#include "converter/model/symbolizer.h"

namespace perf2x {

// Looks functions up in another symbolizer, and replaces their names by
// NameAcrossBuilds. A replaced name becomes the system_name, too. As
// thread-safe as the other symbolizer. Does not forward OpenCode, so code is
// never found.
class EveryBuildSymbolizer final : public Symbolizer {
 public:
  // `symbolizer` must outlive this.
  explicit EveryBuildSymbolizer(Symbolizer& symbolizer)
      : symbolizer_(symbolizer) {}

  // Forwards to the other symbolizer. Passes its results on, with replaced
  // names.
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override {
    // Symbol requires that equal pointers mean equal strings until Resolve
    // returns. So no name is freed before, or its memory might be reused for
    // another name.
    std::deque<std::string> names;
    std::vector<Symbol> renamed;
    symbolizer_.Resolve(dso, addresses,
                        [&](size_t i, absl::Span<const Symbol> symbols) {
                          renamed.assign(symbols.begin(), symbols.end());
                          for (Symbol& symbol : renamed) {
                            std::string name = NameAcrossBuilds(symbol.name);
                            if (name == symbol.name) continue;
                            symbol.name = names.emplace_back(std::move(name));
                            symbol.system_name = symbol.name;
                          }
                          found(i, renamed);
                        });
  }
  // Forward to the other symbolizer.
  void Release(const Dso& dso) override { symbolizer_.Release(dso); }
  bool trusts_paths() const override { return symbolizer_.trusts_paths(); }

 private:
  Symbolizer& symbolizer_;
};

}  // namespace perf2x

#endif  // PERF2X_COMPARE_EVERY_BUILD_SYMBOLIZER_H_
