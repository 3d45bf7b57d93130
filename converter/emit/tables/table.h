// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_TABLE_H_
#define PERF2X_EMIT_TABLES_TABLE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/emit/path_numbers.h"
#include "converter/emit/tables/cell.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Samples and what their rows refer to.
struct SamplesWithPaths {
  absl::Span<const Sample> samples;
  absl::Span<const PathNumbers::Path> paths;  // of the samples
  // PathNumbers::sites() that are numbered with these paths.
  uint32_t sites = 0;
};

// A table of a recording, in any format; docs/csv.md describes the columns.
// Gets the events of a recording as an Emitter does. Owns the sink of its rows
// and returns the sink's errors.
//
// Not thread-safe. Tables that have stacks or records may get OnSamples and
// OnRecord on another thread than the rest: meanwhile, elements are added to
// TraceTables and PathNumbers, and only those may be read that the arguments
// refer to. There is no such call during Finish, nor after it.
class Table {
 public:
  virtual ~Table() = default;
  // The path may be used only if TableInfo::stacks is set.
  virtual absl::Status OnSample(const Sample&, const PathNumbers::Path&) {
    return absl::OkStatus();
  }
  // As OnSample for each sample, in their order.
  virtual absl::Status OnSamples(const SamplesWithPaths& rows) {
    for (size_t i = 0; i < rows.samples.size(); ++i) {
      if (auto status = OnSample(rows.samples[i], rows.paths[i]);
          !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }
  // Called before the first sample of an event that has an id above those of
  // all samples before. Not called on the other thread.
  virtual void OnNewEvent(EventId) {}
  // These do nothing unless the table overrides them. Calls of OnRecord and
  // OnCounter are guaranteed only if TableInfo requests the data.
  virtual absl::Status OnRecord(const RecordEvent&) { return absl::OkStatus(); }
  virtual absl::Status OnCounter(const Counter&) { return absl::OkStatus(); }
  virtual void OnThread(ThreadId) {}
  virtual void OnFork(const Fork&) {}
  virtual void OnExec(const Exec&) {}
  virtual void OnExit(const Exit&) {}
  virtual void OnMap(const MapEvent&) {}
  // Writes the remaining rows and closes the sink. Called once, last.
  virtual absl::Status Finish(const TraceSummary& summary) = 0;
};

// Arguments of TableInfo::make. References must outlive the table.
struct TableContext {
  TraceTables& tables;
  const PathNumbers& paths;
  const TraceInfo& info;
  Budget& budget;
  Diagnostics* diagnostics;  // may be null
  // The table gets OnSamples and OnRecord on another thread than other tables.
  bool on_row_thread = false;
};

// A kind of table. Strings are static.
struct TableInfo {
  const char* name = "";  // "samples"
  // What the table requests, see EmitterRequirements.
  bool records = false, fields = false, counters = false;
  bool branches = false, accesses = false;
  bool stacks = false;  // OnSample uses the path
  // If set, the table is about the numbers of paths. Formats that write the
  // names of a path, such as CSV, do not offer it.
  bool for_path_numbers = false;
  // If set, the table is written only if the user names it.
  bool on_request = false;
  // Returns a new table that writes to the sink. Calls RowSink::SetColumns.
  std::unique_ptr<Table> (*make)(const TableContext&,
                                 std::unique_ptr<RowSink>) = nullptr;
};

// Returns the tables in the order of help texts. The elements are static.
absl::Span<const TableInfo> AllTables();

// Factories of the tables, each in its own file.
std::unique_ptr<Table> MakeStatTable(const TableContext&,
                                     std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeOverviewTable(const TableContext&,
                                         std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeProcessesTable(const TableContext&,
                                          std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeResultsTable(const TableContext&,
                                        std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeFramesTable(const TableContext&,
                                       std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeStacksTable(const TableContext&,
                                       std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeSamplesTable(const TableContext&,
                                        std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeCountersTable(const TableContext&,
                                         std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeBranchesTable(const TableContext&,
                                         std::unique_ptr<RowSink>);
std::unique_ptr<Table> MakeCacheLinesTable(const TableContext&,
                                           std::unique_ptr<RowSink>);

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_TABLE_H_
