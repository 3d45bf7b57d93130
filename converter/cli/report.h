// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_REPORT_H_
#define PERF2X_CLI_REPORT_H_

#include <string>
#include <vector>

#include "converter/convert/convert.h"
#include "converter/inspect/info_value.h"

namespace perf2x {

// Returns the summary of a conversion for standard error, as lines with their
// newlines. `verbose` adds a table of where symbols were found.
std::string SummaryText(const ConvertReport& report, bool verbose);

// Returns aligned lines on each file: numbers of symbolized and unsymbolized
// addresses, build id, and where symbols were found or what was tried.
std::string SymbolReportText(const std::vector<DsoReport>& files);
// Returns the same data as JSON values, one object for each file, in the order
// of `files`.
InfoValue::List SymbolReportList(const std::vector<DsoReport>& files);
// Returns a JSON object as text, with SymbolReportList(files) as its member
// "symbols".
std::string SymbolReportJson(const std::vector<DsoReport>& files);

// Returns one line, without a newline, on one kind of problem: "skipped: MMAP
// record shorter than its fields (2x, first at offset 4096)".
std::string ProblemText(absl::string_view what,
                        const Diagnostics::Entry& entry);

// Returns one line, without a newline, on what was lost, skipped, damaged or
// missing; empty if nothing was.
std::string WarningText(const ConvertReport& report);

}  // namespace perf2x

#endif  // PERF2X_CLI_REPORT_H_
