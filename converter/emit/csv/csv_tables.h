#ifndef PERF2X_EMIT_CSV_CSV_TABLES_H_
#define PERF2X_EMIT_CSV_CSV_TABLES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "converter/emit/call_path.h"
#include "converter/emit/csv/csv_writer.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A table of the CSV format. docs/csv.md describes the columns.
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
  // Writes what is left and closes the output.
  virtual absl::Status Finish(const TraceSummary& summary) = 0;
};

// What a table is made from. All of it outlives the table.
struct CsvTableContext {
  TraceTables& tables;
  CallPaths& paths;
  const TraceInfo& info;
  Budget& budget;
  Diagnostics* diagnostics;  // may be null
};

struct CsvTableInfo {
  const char* name = "";  // "samples"
  bool records = false, fields = false,
       counters = false;  // see EmitterRequirements
  bool stacks = false;    // looks at the functions of samples
  std::unique_ptr<CsvTable> (*make)(const CsvTableContext&,
                                    std::unique_ptr<Output>) = nullptr;
};

// The tables, in the order in which they are named to users.
absl::Span<const CsvTableInfo> CsvTables();

// One function a table, each in a file of its own.
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
