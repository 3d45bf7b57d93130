// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_REPORT_H_
#define PERF2X_CLI_REPORT_H_

#include <string>
#include <vector>

#include "converter/convert/convert.h"
#include "converter/inspect/info_value.h"

namespace perf2x {

// What perf2x says on standard error when it is done, each line complete with
// its newline. `verbose` adds a table of where symbols were found.
std::string SummaryText(const ConvertReport& report, bool verbose);

// Where the symbols of each mapped file were found or what was tried, its build
// id, and how many frames have a name and how many do not: aligned lines.
std::string SymbolTable(const std::vector<DsoReport>& files);
// The same for machines, an entry a file.
InfoValue::List SymbolList(const std::vector<DsoReport>& files);
std::string SymbolTableJson(const std::vector<DsoReport>& files);

// One line on what was lost, skipped, damaged or not there at all; empty when
// nothing was.
std::string WarningText(const ConvertReport& report);

// Names and messages with their control characters escaped, fit for a terminal.
std::string Printable(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_CLI_REPORT_H_
