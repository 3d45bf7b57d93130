// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CSV_CSV_TABLES_H_
#define PERF2X_EMIT_CSV_CSV_TABLES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "converter/emit/call_path.h"
#include "converter/emit/csv/csv_writer.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A table of the CSV format; docs/csv.md describes the columns. Gets the events
// of a recording as an Emitter does, and owns its output.
class CsvTable {
 public:
  virtual ~CsvTable() = default;
  virtual absl::Status OnSample(const Sample&, absl::Span<const CallSite>) {
    return absl::OkStatus();
  }
  virtual absl::Status OnRecord(const RecordEvent&) { return absl::OkStatus(); }
  virtual absl::Status OnCounter(const Counter&) { return absl::OkStatus(); }
  virtual void OnThread(ThreadId) {}
  virtual void OnFork(const Fork&) {}
  virtual void OnExit(const Exit&) {}
  virtual void OnMap(const MapEvent&) {}
  // Writes the remaining rows and closes the output.
  virtual absl::Status Finish(const TraceSummary& summary) = 0;
};

// Arguments of CsvTableInfo::make. References must outlive the table.
struct CsvTableContext {
  TraceTables& tables;
  CallPaths& paths;
  const TraceInfo& info;
  size_t helpers;  // see CsvWriter
  Budget& budget;
  Diagnostics* diagnostics;  // may be null
};

struct CsvTableInfo {
  const char* name = "";  // "samples"
  bool records = false, fields = false,
       counters = false;  // see EmitterRequirements
  bool stacks = false;    // OnSample uses the call path
  std::unique_ptr<CsvTable> (*make)(const CsvTableContext&,
                                    std::unique_ptr<Output>) = nullptr;
};

// Returns the tables in the order of help texts. Static.
absl::Span<const CsvTableInfo> CsvTables();

// Factories of the tables, each in its own file.
std::unique_ptr<CsvTable> MakeCsvStat(const CsvTableContext&,
                                      std::unique_ptr<Output>);
std::unique_ptr<CsvTable> MakeCsvOverview(const CsvTableContext&,
                                          std::unique_ptr<Output>);
std::unique_ptr<CsvTable> MakeCsvProcesses(const CsvTableContext&,
                                           std::unique_ptr<Output>);
std::unique_ptr<CsvTable> MakeCsvResults(const CsvTableContext&,
                                         std::unique_ptr<Output>);
std::unique_ptr<CsvTable> MakeCsvSamples(const CsvTableContext&,
                                         std::unique_ptr<Output>);
std::unique_ptr<CsvTable> MakeCsvCounters(const CsvTableContext&,
                                          std::unique_ptr<Output>);

}  // namespace perf2x

#endif  // PERF2X_EMIT_CSV_CSV_TABLES_H_
