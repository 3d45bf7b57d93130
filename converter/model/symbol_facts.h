// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_SYMBOL_FACTS_H_
#define PERF2X_MODEL_SYMBOL_FACTS_H_

#include "absl/types/span.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The kinds of facts that a DSO's symbols have for at least one address. Same
// flags as in pprof's Mapping.
struct SymbolFacts {
  bool has_functions = false, has_filenames = false;
  bool has_line_numbers = false, has_inline_frames = false;

  // Adds the facts of a symbolized frame that has these lines.
  void Add(const TraceTables& tables, absl::Span<const Line> lines_of_frame) {
    has_functions = true;
    has_inline_frames |= lines_of_frame.size() > 1;
    for (const Line& line : lines_of_frame) {
      has_filenames |= tables.functions()[line.function].file != 0;
      has_line_numbers |= line.line != 0;
    }
  }
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_SYMBOL_FACTS_H_
