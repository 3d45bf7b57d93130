// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_COMPARISON_TEXT_H_
#define PERF2X_COMPARE_COMPARISON_TEXT_H_

#include <cstddef>
#include <string>

#include "converter/compare/comparison.h"

namespace perf2x {

// Returns a table of the first `rows` of Comparison::functions for a terminal.
// Text before the table says what was compared. Text after it says what "*"
// means or why noise cannot be judged, and how many functions were omitted.
// Control characters in names are escaped.
std::string ComparisonTable(const Comparison& comparison, size_t rows);
// Returns the same as GitHub-flavoured Markdown, but does not say how many
// functions were omitted.
std::string ComparisonMarkdown(const Comparison& comparison, size_t rows);
// Returns all of the comparison as one JSON object and a line end; docs/diff.md
// describes it.
std::string ComparisonJson(const Comparison& comparison);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_COMPARISON_TEXT_H_
