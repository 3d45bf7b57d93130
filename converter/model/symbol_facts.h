// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_SYMBOL_FACTS_H_
#define PERF2X_MODEL_SYMBOL_FACTS_H_

#include "absl/types/span.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The facts that symbols have for at least one address of a DSO, as the
// mappings of a pprof profile state them.
struct SymbolFacts {
  bool functions = false, files = false, lines = false, inlines = false;

  // Adds the facts of a symbolized frame, whose lines these are.
  void Add(const TraceTables& tables, absl::Span<const Line> lines_of_frame) {
    functions = true;
    inlines |= lines_of_frame.size() > 1;
    for (const Line& line : lines_of_frame) {
      files |= tables.functions()[line.function].file != 0;
      lines |= line.line != 0;
    }
  }
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_SYMBOL_FACTS_H_
