// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_DSO_REPORT_H_
#define PERF2X_MODEL_DSO_REPORT_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/model/model.h"

namespace perf2x {

// The result of symbolizing one Dso, for the summary. All DSOs with the same
// key (ReportKeyOf) share one report.
struct DsoReport {
  DsoKind kind = DsoKind::kUnknown;
  std::string name;  // Dso::name
  BuildId build_id;
  std::vector<std::string> sources;  // files that symbols were read from
  std::vector<std::string> tried;    // rejected files, each with the reason
  // If set, `sources` are proven to be the recorded files, as by a build id.
  bool verified = false;
  // If set, a full symbol table was found, not only dynamic symbols.
  bool has_symbol_table = false;
  // If set, a file was rejected because nothing proves that it is the recorded
  // file.
  bool unproven = false;
  // Numbers of addresses that were looked up: with a symbol, and without one.
  uint64_t symbolized_count = 0, unsymbolized_count = 0;
  std::string key;  // ReportKeyOf the Dso
  // Addresses without a symbol (Frame::address), ascending. Empty if no source
  // has symbols of the Dso (`symbolized_count` is then 0), and after
  // CountUnsymbolized().
  std::vector<uint64_t> unsymbolized;
  // Number of samples whose stacks have an unsymbolized address of the Dso.
  // Each sample counts once. 0 until CountUnsymbolized() sets it.
  uint64_t samples = 0;
  std::vector<std::string> warnings;  // lines for the user
};

// What is equal of DSOs that share a report: kind, name, build id, file
// identity (device, inode and its generation), `pid`, and reference symbol.
// Generated functions of one name share a report, whatever their process and
// address.
using DsoIdentity =
    std::tuple<DsoKind, absl::string_view, BuildId, uint32_t, uint32_t,
               uint64_t, uint64_t, int32_t, absl::string_view, uint64_t>;
// Returns the identity of `dso`, which refers to its strings.
DsoIdentity IdentityOf(const Dso& dso);
// Returns the identity as text.
std::string ReportKeyOf(const Dso& dso);

}  // namespace perf2x

#endif  // PERF2X_MODEL_DSO_REPORT_H_
