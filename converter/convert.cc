#include "converter/convert.h"

#include <unistd.h>

#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/local_machine.h"
#include "converter/perf/attr_table.h"
#include "converter/perf/ordered_reader.h"
#include "converter/sample_times.h"
#include "converter/session/filtered_emitter.h"
#include "converter/session/sample_filter.h"
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
  ProfileTables tables;
  SampleFilter filter(options.filter, tables);
  if (filter.needs_sample_times()) {
    ASSIGN_OR_RETURN(const auto times, SampleTimesOf(input));
    filter.SetSampleTimes(times.first, times.second);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<OrderedReader> reader,
                   OrderedReader::Open(std::move(input), options.max_memory));
  const auto emitter_options = WithPresets(format, options.emitter_options);
  ASSIGN_OR_RETURN(
      std::unique_ptr<Emitter> emitter,
      format.make({tables, outputs, emitter_options, options.threads}));

  LocalMachine machine(std::move(symbols), options.symbolize, tables);
  AttrTable attrs(&diagnostics);
  FilteredEmitter filtered(filter, tables, *emitter);
  const bool filters = options.filter.any();
  Session session(name, attrs, tables, filters ? filtered : *emitter,
                  diagnostics, machine);
  if (filters || filter.max_stack() != 0) session.set_filter(&filter);
  auto run = [&]() -> absl::Status {
    RETURN_IF_ERROR(
        reader->Run(options.threads > 1,
                    [&](const RawRecord& record, std::optional<uint64_t> time) {
                      attrs.Observe(record);
                      return session.Apply(record, time);
                    }));
    diagnostics.Merge(reader->diagnostics());
    return session.Finish(reader->bytes());
  };
  const absl::Status status = run();

  for (size_t i = 0; i < session.totals().size(); ++i) {
    report->events.push_back(
        {tables.events[i].name, tables.events[i].unit,
         session.totals()[i].samples, session.totals()[i].period,
         i < filter.left_out().size() ? filter.left_out()[i] : 0});
  }
  report->lost_records = session.summary().lost_records;
  report->lost_samples = session.summary().lost_samples;
  report->late_records = reader->late();
  report->bytes = reader->bytes();
  report->symbols = machine.Reports();
  return status;
}

}  // namespace perf2x
