// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_DSO_REPORT_H_
#define PERF2X_MODEL_DSO_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/base/build_id.h"
#include "converter/model/model.h"

namespace perf2x {

// The result of symbolizing one Dso, for the summary.
struct DsoReport {
  DsoKind kind = DsoKind::kUnknown;
  std::string name;
  BuildId build_id;
  std::vector<std::string> sources;  // files with symbols
  std::vector<std::string> tried;    // reasons against others, one line each
  bool verified = false;             // sources have the recording's build id
  // If set, a full symbol table was found, and not dynamic symbols alone.
  bool has_symbol_table = false;
  // If set, a file exists, but nothing proves that it is the recorded one.
  bool unproven = false;
  uint64_t symbolized_count = 0, unsymbolized_count = 0;  // addresses looked up
  std::string key;                                        // ReportKeyOf the Dso
  // Addresses that were not found, ascending; empty if none was found.
  std::vector<uint64_t> unsymbolized;
  // Samples whose stack has such an address; filled in by CountUnsymbolized().
  uint64_t samples = 0;
  std::vector<std::string> warnings;
};

// Returns a key that DSOs with a common report share.
std::string ReportKeyOf(const Dso& file);

}  // namespace perf2x

#endif  // PERF2X_MODEL_DSO_REPORT_H_
