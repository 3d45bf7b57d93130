// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_TABLES_EMITTER_H_
#define PERF2X_EMIT_TABLES_TABLES_EMITTER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/emit/tables/table.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Opens the sinks of one format's tables.
class TableSinks {
 public:
  virtual ~TableSinks() = default;
  // Called once, before Open.
  virtual absl::Status Begin(const TraceInfo&) { return absl::OkStatus(); }
  // Opens the output of a table and returns its sink. The context outlives the
  // sink. Fails if the output cannot be opened.
  virtual absl::StatusOr<std::unique_ptr<RowSink>> Open(
      const TableInfo& table, const TableContext& context) = 0;
};

// Returns an emitter that writes `tables` in one pass. The objects that
// `context` refers to must outlive it. If `writes_path_numbers` is set, equal
// call paths have one number (see PathNumbers); tables with
// TableInfo::for_path_numbers require this.
std::unique_ptr<Emitter> MakeTablesEmitter(const EmitterContext& context,
                                           std::vector<const TableInfo*> tables,
                                           std::unique_ptr<TableSinks> sinks,
                                           bool writes_path_numbers);

// The tables that a format offers, and the options that select tables.
// `--tables LIST` writes into a folder; `--table NAME` writes one file. Cannot
// be copied or moved, as options() points into it.
class TableChoice {
 public:
  // Values by option name; must have "tables" and "table".
  using Options = std::map<std::string, std::string>;

  // Offers tables with TableInfo::for_path_numbers only if
  // `writes_path_numbers` is set.
  explicit TableChoice(bool writes_path_numbers);
  TableChoice(const TableChoice&) = delete;
  TableChoice& operator=(const TableChoice&) = delete;

  absl::Span<const EmitterOption> options() const { return options_; }
  // Returns the tables that the options select, each once, in the order of the
  // option's list. Fails with InvalidArgument if a name is not a table of the
  // format, or if both options are given.
  absl::StatusOr<std::vector<const TableInfo*>> Selected(
      const Options& options) const;
  // Returns the names of the selected tables' files in a folder: NAME and
  // `extension`. Empty if the options select one file. Fails as Selected does.
  absl::StatusOr<std::vector<std::string>> Files(
      const Options& options, absl::string_view extension) const;
  // Fails with InvalidArgument unless the options select one file with the
  // table "results" or "stat": only these can merge several recordings.
  // `format` is for the error's message.
  static absl::Status CheckMerge(const Options& options,
                                 absl::string_view format);
  // Returns true if the options select one file.
  static bool IsOneFile(const Options& options) {
    return !options.at("table").empty();
  }

 private:
  std::string Names(absl::string_view separator) const;

  std::vector<const TableInfo*> tables_;
  std::string any_;  // of options_
  std::vector<EmitterOption> options_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_TABLES_EMITTER_H_
