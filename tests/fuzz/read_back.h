// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_READ_BACK_H_
#define PERF2X_TESTS_FUZZ_READ_BACK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

// Readers of what perf2x writes, none of which shares code with it. Each says
// what is wrong with the output in one line, and nothing where it is good.

namespace perf2x {

// A profile.proto in gzip. Every id resolves, every string is there once, every
// sample has as many values as there are types. `*samples` is the sum of the
// values "samples" of all events, `*events` their number.
std::string CheckPprof(absl::string_view bytes, uint64_t* samples,
                       size_t* events);

// Any JSON in UTF-8, without anything around it.
std::string CheckJson(absl::string_view text);
// A Chrome trace: events with a name, a category, a phase and a time; ends for
// what begins.
std::string CheckChromeTrace(absl::string_view text);

// A table whose rows have as many cells as there are columns. `*rows` does not
// count the first.
std::string CheckCsv(absl::string_view text, uint64_t* rows);
// The table "results": the samples of each event add up to its total, all of
// which are added to `*samples`.
std::string CheckCsvResults(absl::string_view text, uint64_t* samples);

// Lines of stack and count, each stack once, in order.
std::string CheckFolded(absl::string_view text, uint64_t* samples);

// Text for a terminal: lines without control characters.
std::string CheckPlainText(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_READ_BACK_H_
