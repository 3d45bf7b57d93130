// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_LINES_H_
#define PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_LINES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/symbolize/elf/symbol_index.h"

namespace perf2x {

// A line of a kallsyms table: "ffffffff81000010 T name", of a module's symbol
// with "\t[module]" after it.
struct KallsymsLine {
  uint64_t address = 0;
  char type = 0;           // as in nm(1)
  absl::string_view name;  // with the module

  // Returns true for code and data, except for mapping symbols (see
  // IsMappingSymbol).
  bool is_symbol() const;
  void AddTo(SymbolIndex* index) const;
};

// Returns nothing if `line` is of another form.
std::optional<KallsymsLine> ParseKallsymsLine(absl::string_view line);

// Returns the name in a line that ParseKallsymsLine accepts; of another line
// anything. Reads two characters of most lines.
inline absl::string_view NameInKallsymsLine(absl::string_view line) {
  constexpr size_t kAddress = 16;  // digits of 64 bits
  if (line.size() <= kAddress + 3 || line[kAddress] != ' ' ||
      line[kAddress + 2] != ' ') {
    const std::optional<KallsymsLine> parsed = ParseKallsymsLine(line);
    return parsed.has_value() ? parsed->name : absl::string_view();
  }
  return line.substr(kAddress + 3);
}

// Cuts a text into lines. `visit(line)` returns false to end.
template <class Visit>
void ForEachLine(absl::string_view text, Visit visit) {
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    if (!visit(text.substr(at, end - at))) return;
  }
}

// Adds to `index`, which must be empty, the symbols of a kallsyms table that
// decide what the addresses, in ascending order, are named. It takes some 20
// lines for each. Returns false if that cannot be told from parts of the table:
// it is not in order, or an address is not within the kernel, but in a module
// or at the end. `index` is then of no use.
bool AddSymbolsAround(absl::string_view table,
                      absl::Span<const uint64_t> addresses, SymbolIndex* index);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_LINES_H_
