#include "converter/convert.h"

#include <unistd.h>

#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/perf/attr_table.h"
#include "converter/perf/time_order.h"
#include "converter/session/session.h"
#include "converter/unwind/finder_source.h"

namespace perf2x {
namespace {

// Whether a recording was made on this machine, as far as its header tells.
bool MadeHere(const HeaderFeatures& features) {
  char name[256] = "";
  return gethostname(name, sizeof(name) - 1) == 0 && name[0] != '\0' &&
         features.hostname == name;
}

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
  Diagnostics& diagnostics = report->diagnostics;
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader,
                   RecordReader::Open(std::move(input), &diagnostics));
  ProfileTables tables;
  const auto emitter_options = WithPresets(format, options.emitter_options);
  ASSIGN_OR_RETURN(
      std::unique_ptr<Emitter> emitter,
      format.make({tables, outputs, emitter_options, options.threads}));

  std::unique_ptr<FileSymbolizer> symbolizer;
  auto make_symbolizer = [&](const HeaderFeatures& features) -> Symbolizer* {
    if (!options.symbolize) return nullptr;
    SymbolizeOptions symbols = options.symbols;
    symbols.binaries.same_host = MadeHere(features);
    symbolizer = MakeSymbolizer(std::move(symbols));
    return symbolizer.get();
  };
  auto make_code_source = [&](const HeaderFeatures& features) {
    BinaryFinderOptions binaries = options.symbols.binaries;
    binaries.same_host = MadeHere(features);
    return std::make_unique<FinderSource>(tables, std::move(binaries));
  };
  AttrTable attrs(&diagnostics);
  TimeOrder order(reader->needs_full_order());
  Session session(name, attrs, tables, *emitter, diagnostics, make_symbolizer,
                  make_code_source);
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
    return session.Finish();
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
  if (symbolizer != nullptr) report->symbols = symbolizer->Reports();
  return status;
}

}  // namespace perf2x
