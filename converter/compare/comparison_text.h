// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_COMPARISON_TEXT_H_
#define PERF2X_COMPARE_COMPARISON_TEXT_H_

#include <cstddef>
#include <string>

#include "converter/compare/comparison.h"

namespace perf2x {

// The largest changes as a table for a terminal, with what it means above and
// below. `rows` limits the number of functions. Names are safe to print.
std::string ComparisonTable(const Comparison& comparison, size_t rows);
// The same as GitHub-flavoured Markdown.
std::string ComparisonMarkdown(const Comparison& comparison, size_t rows);
// All of the comparison as one JSON object; docs/diff.md describes it.
std::string ComparisonJson(const Comparison& comparison);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_COMPARISON_TEXT_H_
