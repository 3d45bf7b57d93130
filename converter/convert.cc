#include "converter/convert.h"

#include <unistd.h>

#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/local_machine.h"
#include "converter/perf/attr_table.h"
#include "converter/perf/time_order.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

std::map<std::string, std::string> WithPresets(
    const EmitterInfo& format,
    const std::map<std::string, std::string>& given) {
  std::map<std::string, std::string> options;
  for (const EmitterOption& option : format.options) {
    auto it = given.find(option.name);
    options[option.name] = it != given.end() ? it->second : option.preset;
  }
  return options;
}

}  // namespace

absl::Status Convert(Input input, const EmitterInfo& format,
                     OutputFactory& outputs, const ConvertOptions& options,
                     ConvertReport* report) {
  const std::string name = input.name;
  SymbolizeOptions symbols = options.symbols;
  symbols.threads = options.threads;
  // `perf record --kcore` keeps the kernel's symbols beside its data.
  if (symbols.kallsyms.empty() && !input.directory.empty()) {
    const std::string kept = input.directory + "/kcore_dir/kallsyms";
    if (access(kept.c_str(), R_OK) == 0) symbols.kallsyms = kept;
  }
  Diagnostics& diagnostics = report->diagnostics;
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader,
                   RecordReader::Open(std::move(input), &diagnostics));
  ProfileTables tables;
  const auto emitter_options = WithPresets(format, options.emitter_options);
  ASSIGN_OR_RETURN(
      std::unique_ptr<Emitter> emitter,
      format.make({tables, outputs, emitter_options, options.threads}));

  LocalMachine machine(std::move(symbols), options.symbolize, tables);
  AttrTable attrs(&diagnostics);
  TimeOrder order(reader->needs_full_order());
  Session session(name, attrs, tables, *emitter, diagnostics, machine);
  auto apply = [&](const RawRecord& record, std::optional<uint64_t> time) {
    return session.Apply(record, time);
  };

  auto run = [&]() -> absl::Status {
    RawRecord record;
    while (reader->Next(&record)) {
      attrs.Observe(record);
      RETURN_IF_ERROR(order.Add(record, attrs.TimeOf(record), apply));
    }
    RETURN_IF_ERROR(order.Finish(apply));
    return session.Finish(reader->bytes());
  };
  const absl::Status status = run();

  for (size_t i = 0; i < session.totals().size(); ++i) {
    report->events.push_back({tables.events[i].name, tables.events[i].unit,
                              session.totals()[i].samples,
                              session.totals()[i].period});
  }
  report->lost_records = session.summary().lost_records;
  report->lost_samples = session.summary().lost_samples;
  report->late_records = order.late();
  report->bytes = reader->bytes();
  report->symbols = machine.Reports();
  return status;
}

}  // namespace perf2x
