#ifndef PERF2X_MODEL_DSO_REPORT_H_
#define PERF2X_MODEL_DSO_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/base/build_id.h"
#include "converter/model/model.h"

namespace perf2x {

// What was found for one Dso, for the summary at the end.
struct DsoReport {
  DsoKind kind = DsoKind::kUnknown;
  std::string name;
  BuildId build_id;
  std::vector<std::string> sources;  // files that gave names
  std::vector<std::string> tried;    // why others did not, one line each
  bool verified = false;             // sources have the recording's build id
  // If set, a full symbol table was found, and not dynamic symbols alone.
  bool has_symbol_table = false;
  // A file is there, but nothing proves that it is the recorded one.
  bool unproven = false;
  uint64_t named = 0, unsymbolized_count = 0;  // addresses looked up
  std::string key;                             // ReportKeyOf the Dso
  // The addresses that were looked up without success, ascending; empty where
  // none has a name.
  std::vector<uint64_t> unsymbolized;
  // Samples whose stack has such an address; filled in by CountUnsymbolized().
  uint64_t samples = 0;
  std::vector<std::string> warnings;
};

// What a Dso has in common with those that share its report.
std::string ReportKeyOf(const Dso& file);

}  // namespace perf2x

#endif  // PERF2X_MODEL_DSO_REPORT_H_
