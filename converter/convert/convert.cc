// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/convert.h"

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/convert/merge.h"
#include "converter/convert/missing_symbols.h"
#include "converter/convert/sample_times.h"
#include "converter/perf/header/attr_table.h"
#include "converter/session/session.h"
#include "converter/stages/filtered_emitter.h"
#include "converter/symbolize/kernel/kallsyms_cache.h"

namespace perf2x {
namespace {

// Returns the copy of kallsyms that `perf record --kcore` keeps beside its
// data; empty if there is none.
FilePlace KallsymsKeptBy(const Input& input) {
  FilePlace place(input.directory, "kcore_dir/kallsyms");
  place.follow_links = false;
  struct stat st;
  return !input.directory.empty() && lstat(place.path().c_str(), &st) == 0
             ? place
             : FilePlace();
}

// Passes the records of a recording to the AttrTable, the Progress and the
// Session.
class Records final : public OrderedReader::Sink {
 public:
  Records(AttrTable& attrs, Progress* progress, Session& session)
      : attrs_(attrs), progress_(progress), session_(session) {}

  absl::Status Apply(const RawRecord& record,
                     std::optional<uint64_t> time) override {
    attrs_.Observe(record);
    progress_.OnRecord(record.stream, record.offset, 8 + record.body.size(),
                       record.type == SampleRecord::kType);
    return session_.Apply(record, time);
  }
  bool needs_only_keys() const override { return session_.needs_only_keys(); }
  absl::Status ApplyKeys(const OrderedRecords& samples,
                         ByteOrder order) override {
    for (const TimedRecord* sample : samples.records) {
      progress_.OnRecord(sample->stream, sample->offset, 8 + sample->size,
                         true);
    }
    return session_.ApplyKeys(samples, order);
  }
  absl::Status Flush() override { return session_.Flush(); }

 private:
  AttrTable& attrs_;
  ProgressTracker progress_;
  Session& session_;
};

}  // namespace

Conversion::Conversion(std::string name, SymbolizeOptions symbols,
                       const ConvertOptions& options, Pipeline& pipeline)
    : name_(std::move(name)),
      options_(options),
      pipeline_(pipeline),
      filter_(options.filter, tables_),
      machine_(std::move(symbols), options.symbolize, !options.untrusted,
               tables_) {}

absl::StatusOr<std::unique_ptr<Conversion>> Conversion::Open(
    Input input, const ConvertOptions& options, Pipeline& pipeline) {
  SymbolizeOptions symbols = options.symbols;
  symbols.workers = &pipeline.workers();
  symbols.binaries.recorded_until = input.written_at;
  symbols.kept_kallsyms = KallsymsKeptBy(input);
  symbols.may_show_host = !input.by_others;
  symbols.name_budget = std::make_shared<Budget>(Budget::kRecordedNameRules);
  if (!options.untrusted) input.AddTo(symbols.name_budget.get());
  auto out = std::unique_ptr<Conversion>(
      new Conversion(input.name, std::move(symbols), options, pipeline));
  if (out->filter_.needs_sample_times()) {
    ASSIGN_OR_RETURN(const auto times, SampleTimesOf(input));
    out->filter_.SetSampleTimes(times.first, times.second);
  }
  if (options.progress != nullptr) options.progress->AddInput(input);
  if (!options.untrusted) input.AddTo(&out->budget());
  ASSIGN_OR_RETURN(out->reader_,
                   OrderedReader::Open(std::move(input), options.max_memory));
  pipeline.set_reading_waits(out->reader_->mostly_waits());
  return out;
}

absl::Status Conversion::Run(Emitter& emitter, ConvertReport* report) {
  Diagnostics& diagnostics = report->diagnostics;
  AttrTable attrs(&diagnostics);
  FilteredEmitter filtered(filter_, tables_, emitter);
  const bool filters = options_.filter.any();
  const bool selects = filters || filter_.max_stack() != 0;
  // Too large for a small stack.
  const auto owned = std::make_unique<Session>(
      SessionDeps{.input = name_,
                  .attrs = attrs,
                  .tables = tables_,
                  .emitter = filters ? filtered : emitter,
                  .selector = selects ? &filter_ : nullptr,
                  .environment = machine_,
                  .budget = budget(),
                  .diagnostics = diagnostics,
                  .itrace = options_.itrace});
  Session& session = *owned;
  if (!emitter.requirements().switches) reader_->SkipSwitches();
  Records records(attrs, options_.progress, session);
  auto run = [&]() -> absl::Status {
    const absl::Status read = reader_->Run(
        pipeline_.has_thread(Pipeline::Edge::kReadRecords), records);
    diagnostics.Merge(reader_->diagnostics());
    RETURN_IF_ERROR(read);
    for (const auto& skipped : reader_->skipped()) {
      session.CountSkipped(skipped);
    }
    RETURN_IF_ERROR(session.EndRecords());
    if (options_.budget == nullptr) own_budget_.ReleaseReserve();
    // Returns the memory of reading to the system before the emitter makes its
    // tables.
    malloc_trim(0);
    return session.Finish(reader_->bytes());
  };
  absl::Status status = run();

  for (size_t i = 0; i < session.totals().size(); ++i) {
    const auto& filtered_counts = filter_.filtered();
    report->events.push_back(
        {tables_.events[i].name, tables_.events[i].unit,
         session.totals()[i].samples, session.totals()[i].period,
         i < filtered_counts.size() ? filtered_counts[i] : 0});
  }
  report->lost_records = session.losses().lost_records();
  report->lost_samples = session.losses().lost_samples();
  report->dropped_samples = session.losses().dropped_samples();
  report->out_of_order_records = reader_->out_of_order();
  report->bytes = reader_->bytes();
  report->facts = std::move(session.facts());
  return status;
}

namespace {

// Completes the report on a conversion that ended with `status`, and passes the
// advice in it to the emitter.
absl::Status ConcludeWith(const absl::Status& status, Conversion& conversion,
                          Emitter& emitter, ConvertReport* report) {
  if (conversion.symbolizer() != nullptr) {
    report->symbols = conversion.symbolizer()->Reports();
  }
  CompleteReport(report);
  RETURN_IF_ERROR(status);
  std::vector<Advice> advice;
  for (const Finding& finding : report->findings) {
    advice.push_back({finding.message, finding.next_step});
  }
  return emitter.OnAdvice(advice);
}

// Returns what the format keeps of the recording to compare with. Adds its
// diagnostics to `*diagnostics`.
absl::StatusOr<std::shared_ptr<ComparisonBase>> ReadBase(
    const EmitterInfo& format, OutputFactory& outputs,
    const ConvertOptions& given, Pipeline& pipeline, Diagnostics* diagnostics) {
  ConvertOptions options = given;
  // What does not occur in it may occur in the other recording.
  options.filter.allow_unmatched = true;
  ASSIGN_OR_RETURN(Input input, OpenInput(*given.base));
  ASSIGN_OR_RETURN(const std::unique_ptr<Conversion> conversion,
                   Conversion::Open(std::move(input), options, pipeline));
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  ConvertReport report;
  std::shared_ptr<ComparisonBase> kept;
  ASSIGN_OR_RETURN(
      const std::unique_ptr<Emitter> emitter,
      format.make_base({conversion->tables(), outputs, emitter_options,
                        pipeline, &report.diagnostics, conversion->budget()},
                       &kept));
  RETURN_IF_ERROR(ConcludeWith(conversion->Run(*emitter, &report), *conversion,
                               *emitter, &report));
  for (const auto& [what, entry] : report.diagnostics.entries()) {
    diagnostics->Add(entry.severity, absl::StrCat("base: ", what),
                     entry.first_offset, entry.bytes, entry.count);
  }
  return kept;
}

}  // namespace

absl::Status Convert(Input input, const EmitterInfo& format,
                     OutputFactory& outputs, const ConvertOptions& options,
                     ConvertReport* report) {
  Pipeline pipeline(options.threads);
  std::shared_ptr<ComparisonBase> base;
  if (options.base.has_value()) {
    auto read =
        ReadBase(format, outputs, options, pipeline, &report->diagnostics);
    if (!read.ok()) return WithInputName(options.base->path, read.status());
    base = *std::move(read);
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Conversion> conversion,
                   Conversion::Open(std::move(input), options, pipeline));
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  AccountedOutputs accounted(outputs, conversion->budget());
  ASSIGN_OR_RETURN(const std::unique_ptr<Emitter> emitter,
                   format.make({conversion->tables(), accounted,
                                emitter_options, pipeline, &report->diagnostics,
                                conversion->budget(), std::move(base)}));
  report->shows_counters = emitter->requirements().counters;
  report->shows_branches = emitter->requirements().branches;
  return ConcludeWith(conversion->Run(*emitter, report), *conversion, *emitter,
                      report);
}

void CompleteReport(ConvertReport* report) {
  const StackSubset& stacks = report->facts.stacks;
  report->unsymbolized_samples = CountUnsymbolized(stacks, &report->symbols);
  report->stacks = StackCounts::FromStacks(stacks);
  report->findings = Diagnose(*report);
  // Saves memory: a merge keeps the reports of all inputs to the end.
  report->facts.stacks.Drop();
}

absl::StatusOr<std::unique_ptr<Output>> AccountedOutputs::Open(
    absl::string_view name) {
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, outputs_.Open(name));
  return MakeMeteredOutput(std::move(output), budget_);
}

void ShareTables(ConvertOptions* options) {
  options->symbols.kallsyms_cache = std::make_shared<KallsymsCache>();
}

std::map<std::string, std::string> WithDefaults(
    const EmitterInfo& format,
    const std::map<std::string, std::string>& given) {
  std::map<std::string, std::string> options;
  for (const EmitterOption& option : format.options) {
    auto it = given.find(option.name);
    options[option.name] =
        it != given.end() ? it->second : option.default_value;
  }
  return options;
}

std::optional<InputIdentity> FindBase(
    const EmitterInfo& format, const std::map<std::string, std::string>& given,
    bool follow_link) {
  const auto it = given.find(format.base_option);
  if (it == given.end() || it->second.empty()) return std::nullopt;
  return InputIdentity::FromPath(it->second, follow_link);
}

}  // namespace perf2x
