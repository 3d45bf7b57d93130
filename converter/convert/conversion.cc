// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/conversion.h"

#include <malloc.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/convert/convert_profile.h"
#include "converter/convert/emitter_stages.h"
#include "converter/convert/input_kind.h"
#include "converter/convert/profile_input.h"
#include "converter/convert/sample_times.h"
#include "converter/model/event_names.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/stream/time_order.h"
#include "converter/session/recorded_sched.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

// Returns a file that `perf record --kcore` keeps beside its data; empty if
// there is none.
FilePlace KeptBy(const Input& input, absl::string_view name) {
  FilePlace place(input.directory, name);
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
  bool AcceptsKeysOf(uint32_t event) override {
    return session_.AcceptsKeysOf(event);
  }
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

// The two halves of --max-memory.
uint64_t MemoryOfRecords(const ConvertOptions& options) {
  return options.max_memory.has_value() ? *options.max_memory / 2
                                        : kDefaultMaxMemory;
}
uint64_t MemoryOfStacks(const ConvertOptions& options) {
  constexpr uint64_t kLeast = 1 << 20;  // more than an empty table takes
  return options.max_memory.has_value()
             ? std::max(*options.max_memory / 2, kLeast)
             : std::numeric_limits<uint64_t>::max();
}

// Appends an EventCount for each event of `session` to `report->events`, with
// the samples that `filter` excluded.
void AppendEventCounts(const Session& session, const TraceTables& tables,
                       const SampleFilter& filter, ConvertReport* report) {
  EventNames names(tables.events);
  for (uint32_t i = 0; i < session.totals().size(); ++i) {
    const auto& filtered = filter.filtered();
    const EventId id = session.EventIdOf(i);
    report->events.push_back(
        {names[id], tables.events[id].unit, session.totals()[i].samples,
         session.totals()[i].period, id < filtered.size() ? filtered[id] : 0});
  }
}

}  // namespace

Conversion::Conversion(std::string name, SymbolizeOptions symbols,
                       const ConvertOptions& options, Pipeline& pipeline)
    : name_(std::move(name)),
      options_(options),
      pipeline_(pipeline),
      filter_(options.filter, tables_, budget()),
      machine_(std::move(symbols), options.symbolize, !options.untrusted,
               tables_) {}

absl::StatusOr<std::unique_ptr<Conversion>> Conversion::Open(
    Input input, const ConvertOptions& options, Pipeline& pipeline) {
  SymbolizeOptions symbols = options.symbols;
  symbols.workers = &pipeline.workers();
  symbols.binaries.recorded_until = input.written_at;
  symbols.kept_kallsyms = KeptBy(input, "kcore_dir/kallsyms");
  symbols.kept_kcore = KeptBy(input, "kcore_dir/kcore");
  symbols.may_prove_same_host = !input.may_be_from_others;
  symbols.name_budget = std::make_shared<Budget>(Budget::kRecordedNameRules);
  if (!options.untrusted) input.AddSizesTo(symbols.name_budget.get());
  auto out = std::unique_ptr<Conversion>(
      new Conversion(input.name, std::move(symbols), options, pipeline));
  if (input.written_at != 0) out->written_at_ = input.written_at;
  const bool is_profile = KindOf(&input) == InputKind::kProfile;
  if (is_profile) RETURN_IF_ERROR(CheckSuitsProfile(options));
  if (out->filter_.needs_sample_times()) {
    ASSIGN_OR_RETURN(const auto times, SampleTimesOf(input));
    out->filter_.SetSampleTimes(times.first, times.second);
  }
  if (options.progress != nullptr) options.progress->AddInput(input);
  if (!options.untrusted) input.AddSizesTo(&out->budget());
  if (is_profile) {
    ASSIGN_OR_RETURN(out->profile_,
                     ReadProfileInput(std::move(input), out->budget(),
                                      &out->profile_bytes_));
    if (options.progress != nullptr) {
      options.progress->Add(out->profile_bytes_.data, 0);
    }
    if (options.symbolize) {
      RETURN_IF_ERROR(CorrectKernelAddresses(options.symbols, &*out->profile_));
    }
    return out;
  }
  // Starting a thread takes as long as reading so much.
  constexpr size_t kSmall = 64 << 10;
  const bool is_small = input.mapped && input.data_files.empty() &&
                        input.mapped->bytes().size() <= kSmall;
  ASSIGN_OR_RETURN(out->reader_, OrderedReader::Open(std::move(input),
                                                     MemoryOfRecords(options),
                                                     out->budget()));
  pipeline.set_reading_is_io_bound(out->reader_->reads_stream());
  out->is_small_ = is_small;
  return out;
}

absl::Status Conversion::RunProfile(Emitter& emitter, ConvertReport* report) {
  const bool selects = options_.filter.any() || filter_.max_stack() != 0;
  profile_source_ = std::make_unique<ProfileSource>(
      *profile_, tables_, selects ? &filter_ : nullptr, budget(),
      report->diagnostics);
  ProfileSource& source = *profile_source_;
  source.trace().set_file_symbolizer(machine_.MakeSymbolizer(HeaderFeatures()));
  profile_symbols_ = std::make_unique<ProfileSymbols>(source.trace(), tables_);
  if (filter_.needs_symbols()) filter_.set_symbolizer(&source.trace());
  TraceInfo known;
  known.input = name_;
  known.recorded_at = written_at_;
  known.recording_id = options_.recording_id;
  const bool looks_up = options_.symbolize && source.trace().lacks_symbols();
  StackCounter counter(emitter, &report->facts.stacks);
  Emitter& first = looks_up ? static_cast<Emitter&>(counter) : emitter;
  absl::Status status = source.EmitSamples(std::move(known), first);
  // The emitter may free the stacks in Finish.
  if (looks_up) {
    CollectUnsymbolized(source.trace(), tables_, &report->facts.stacks);
  }
  profile_->samples = MessageLog();  // the symbols are used for longer
  if (status.ok()) {
    if (options_.budget == nullptr) own_budget_.ReleaseReserve();
    status = source.Finish(emitter);
  }
  AppendEventCounts(source, tables_, filter_, report);
  report->is_profile = true;
  report->bytes = profile_bytes_;
  report->unmatched = filter_.Unmatched();
  return status;
}

absl::Status Conversion::Run(Emitter& emitter, ConvertReport* report) {
  if (profile_.has_value()) return RunProfile(emitter, report);
  Diagnostics& diagnostics = report->diagnostics;
  AttrTable attrs(&diagnostics);
  const bool has_reader =
      !is_small_ && pipeline_.has_thread(Pipeline::Edge::kReadRecords);
  EmitterStages stages(options_, has_time_line_,
                       has_reader ? &pipeline_ : nullptr, tables_, filter_,
                       budget(), diagnostics, emitter);
  const bool selects = options_.filter.any() || filter_.max_stack() != 0;
  // Too large for a small stack.
  const auto owned = std::make_unique<Session>(
      SessionDeps{.input = name_,
                  .recording_id = options_.recording_id,
                  .written_at = written_at_,
                  .attrs = attrs,
                  .tables = tables_,
                  .emitter = stages.first(),
                  .selector = selects ? &filter_ : nullptr,
                  .environment = machine_,
                  .budget = budget(),
                  .diagnostics = diagnostics,
                  .itrace = options_.itrace,
                  .helpers = pipeline_.helpers(),
                  .max_stack_memory = MemoryOfStacks(options_)});
  Session& session = *owned;
  if (stages.first().requirements().switches) {
    reader_->ReadSchedKeys(std::make_unique<RecordedSchedTracepoints>());
  } else {
    reader_->SkipSwitches();
  }
  if (stages.ignores_repeated_switches()) reader_->SkipRepeatedSwitches();
  Records records(attrs, options_.progress, session);
  auto run = [&]() -> absl::Status {
    const absl::Status read =
        reader_->Run(has_reader, records, pipeline_.spare_work());
    pipeline_.EndReading();
    diagnostics.Merge(reader_->diagnostics());
    RETURN_IF_ERROR(read);
    for (const auto& skipped : reader_->skipped()) {
      session.CountSkipped(skipped);
    }
    RETURN_IF_ERROR(session.EndRecords());
    if (options_.budget == nullptr) own_budget_.ReleaseReserve();
#ifndef PERF2X_SANITIZED
    // Returns the memory of reading to the system before the emitter makes its
    // tables. Sanitizers replace malloc, but not this function, which then
    // crashes if two threads call it at once.
    if (!is_small_) malloc_trim(0);
#endif
    return session.Finish(reader_->bytes());
  };
  absl::Status status = run();

  AppendEventCounts(session, tables_, filter_, report);
  report->lost_records = session.losses().lost_records();
  report->lost_samples = session.losses().lost_samples();
  report->dropped_samples = session.losses().dropped_samples();
  report->out_of_order_records = reader_->out_of_order();
  report->bytes = reader_->bytes();
  report->facts = std::move(session.facts());
  stages.CountFilteredCalls(&report->facts);
  report->unmatched = filter_.Unmatched();
  return status;
}

}  // namespace perf2x
