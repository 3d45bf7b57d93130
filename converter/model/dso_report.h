// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_DSO_REPORT_H_
#define PERF2X_MODEL_DSO_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/base/build_id.h"
#include "converter/model/model.h"

namespace perf2x {

// The result of symbolizing one Dso, or all that share a key (ReportKeyOf), for
// the summary.
struct DsoReport {
  DsoKind kind = DsoKind::kUnknown;
  std::string name;
  BuildId build_id;
  std::vector<std::string> sources;  // files that symbols were read from
  std::vector<std::string> tried;    // rejected files, each with the reason
  bool verified = false;  // `sources` are proven to be the recorded files
  // If set, a full symbol table was found, not only dynamic symbols.
  bool has_symbol_table = false;
  // If set, a file was rejected because nothing proves that it is the recorded
  // one.
  bool unproven = false;
  uint64_t symbolized_count = 0, unsymbolized_count = 0;  // addresses looked up
  std::string key;                                        // ReportKeyOf the Dso
  // Addresses without a symbol, ascending. May be empty if `symbolized_count`
  // is 0: then no address has one. CountUnsymbolized() empties it.
  std::vector<uint64_t> unsymbolized;
  // Samples with an unsymbolized address in their stacks; set by
  // CountUnsymbolized().
  uint64_t samples = 0;
  std::vector<std::string> warnings;
};

// Returns the key of the report for `dso`. Generated functions of one name
// share a report.
std::string ReportKeyOf(const Dso& dso);

}  // namespace perf2x

#endif  // PERF2X_MODEL_DSO_REPORT_H_
