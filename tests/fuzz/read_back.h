// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_READ_BACK_H_
#define PERF2X_TESTS_FUZZ_READ_BACK_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

// Checks of the formats that perf2x writes; they share no code with perf2x.
// Each returns one line that says what is wrong with the output, or "".

namespace perf2x {

// A profile.proto in gzip. Every id resolves, every string is there once, every
// sample has as many values as there are types. Sets `*samples` to the sum of
// the values "samples" of all events, `*events` to the number of events.
std::string CheckPprof(absl::string_view bytes, uint64_t* samples,
                       size_t* events);

// One JSON document in UTF-8, with nothing before or after it.
std::string CheckJson(absl::string_view text);
// A Chrome trace: every event has a phase, a category, a pid and, except
// metadata, a time; slices and flows that begin also end.
std::string CheckChromeTrace(absl::string_view text);

// A CSV table whose rows have as many cells as there are columns. Sets `*rows`
// to the number of rows without the header.
std::string CheckCsv(absl::string_view text, uint64_t* rows);
// The CSV table "results". Sets `*samples` to the sum of the column "samples".
std::string CheckCsvResults(absl::string_view text, uint64_t* samples);

// Folded stacks: lines of a stack and a count, each stack once, sorted. Sets
// `*samples` to the sum of the counts.
std::string CheckFolded(absl::string_view text, uint64_t* samples);

// What is known of the format called `name`. Of a format without a check of its
// own: JSON if its files end in .json, text if it is lines of text.
std::string CheckFormat(absl::string_view name, absl::string_view text);

// Text for a terminal: lines without control characters.
std::string CheckPlainText(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_READ_BACK_H_
