// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/convert.h"

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/convert/convert_branch_list.h"
#include "converter/convert/convert_profile.h"
#include "converter/convert/emitter_stages.h"
#include "converter/convert/input_kind.h"
#include "converter/convert/merge.h"
#include "converter/convert/missing_symbols.h"
#include "converter/convert/profile_input.h"
#include "converter/convert/recording_id.h"
#include "converter/convert/sample_times.h"
#include "converter/model/event_names.h"
#include "converter/perf/header/attr_table.h"
#include "converter/session/recorded_sched.h"
#include "converter/session/session.h"
#include "converter/symbolize/kernel/kallsyms_cache.h"

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
  bool TakesKeysOf(uint32_t event) override {
    return session_.TakesKeysOf(event);
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
  std::unique_ptr<Session> owned;  // too large for a small stack
  const bool has_reader =
      !is_small_ && pipeline_.has_thread(Pipeline::Edge::kReadRecords);
  EmitterStages stages(options_, has_time_line_,
                       has_reader ? &pipeline_ : nullptr, tables_, filter_,
                       budget(), diagnostics, emitter);
  const bool selects = options_.filter.any() || filter_.max_stack() != 0;
  owned = std::make_unique<Session>(
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
                  .unwind_helpers = pipeline_.helpers(),
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

// Fails if samples of time lack what the format needs.
absl::Status CheckWallClock(const ConvertOptions& options,
                            const EmitterRequirements& requirements) {
  if (!options.derived.wall_clock) return absl::OkStatus();
  if (requirements.branches) {
    return absl::InvalidArgumentError(
        "--wall-clock makes samples of time, which have no branches; leave it "
        "out for a profile of branches");
  }
  if (requirements.accesses) {
    return absl::InvalidArgumentError(
        "--wall-clock makes samples of time, which have no data addresses; "
        "leave it out for --table cachelines");
  }
  return absl::OkStatus();
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
  conversion->set_has_time_line(format.has_time_line);
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
  AddBaseDiagnostics(report.diagnostics, diagnostics);
  return kept;
}

// For a format about one DSO, passes the file that --dso names to the emitter
// instead of the filter.
ConvertOptions WithSubject(const EmitterInfo& format,
                           const ConvertOptions& given) {
  ConvertOptions options = given;
  std::vector<std::string>& dsos = options.filter.list(FilterKey::kDso);
  if (format.is_about_one_dso && !dsos.empty()) {
    options.emitter_options["dso"] = dsos.front();
    dsos.clear();
  }
  return options;
}

}  // namespace

absl::Status Convert(Input input, const EmitterInfo& format,
                     OutputFactory& outputs, const ConvertOptions& given,
                     ConvertReport* report) {
  RETURN_IF_ERROR(CheckTogether(format, given));
  const ConvertOptions options = WithSubject(format, given);
  Pipeline pipeline(options.threads);
  const InputKind kind = KindOf(&input);
  std::optional<FileSection> list;
  if (format.is_about_one_dso && kind == InputKind::kRecording) {
    ASSIGN_OR_RETURN(list,
                     FindRecordedBranchList(&input, &report->diagnostics));
  }
  if (kind == InputKind::kBranchList || list.has_value()) {
    return ConvertBranchList(std::move(input), list, format, outputs, options,
                             pipeline, report);
  }
  if (kind == InputKind::kProfile) {
    RETURN_IF_ERROR(CheckShowsProfiles(format));
    if (format.is_profile) {
      return CopyProfile(std::move(input), outputs, options, pipeline, report);
    }
  }
  std::shared_ptr<ComparisonBase> base;
  if (options.base.has_value()) {
    auto read =
        ReadBase(format, outputs, options, pipeline, &report->diagnostics);
    if (!read.ok()) return WithInputName(options.base->path, read.status());
    base = *std::move(read);
  }
  ConvertOptions used = options;
  if (options.emitter_options.count(format.dataset_option) > 0) {
    ASSIGN_OR_RETURN(used.recording_id,
                     IdentifyRecording(&input, &report->diagnostics));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Conversion> conversion,
                   Conversion::Open(std::move(input), used, pipeline));
  conversion->set_has_time_line(format.has_time_line);
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  MeteredOutputs metered(outputs, conversion->budget());
  ASSIGN_OR_RETURN(const std::unique_ptr<Emitter> emitter,
                   format.make({conversion->tables(), metered, emitter_options,
                                pipeline, &report->diagnostics,
                                conversion->budget(), std::move(base)}));
  RETURN_IF_ERROR(CheckWallClock(options, emitter->requirements()));
  report->shows_counters = emitter->requirements().counters;
  report->shows_branches = emitter->requirements().branch_stacks;
  report->shows_accesses = emitter->requirements().accesses;
  report->shows_callers = emitter->requirements().callers;
  return ConcludeWith(conversion->Run(*emitter, report), *conversion, *emitter,
                      report);
}

void CompleteReport(ConvertReport* report) {
  const StackSubset& stacks = report->facts.stacks;
  report->unsymbolized_samples = CountUnsymbolized(stacks, &report->symbols);
  // Of profiles, only unsymbolized frames were collected.
  if (!report->is_profile) report->stacks = StackCounts::FromStacks(stacks);
  report->findings = Diagnose(*report);
  // Saves memory: a merge keeps the reports of all inputs to the end.
  report->facts.stacks.Drop();
}

absl::StatusOr<std::unique_ptr<Output>> MeteredOutputs::Open(
    absl::string_view name) {
  return OpenFor(name, budget_);
}

absl::StatusOr<std::unique_ptr<Output>> MeteredOutputs::OpenFor(
    absl::string_view name, Budget& budget) {
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, outputs_.Open(name));
  return MakeMeteredOutput(std::move(output), budget);
}

void ShareKallsymsTables(ConvertOptions* options) {
  options->symbols.kallsyms_cache = std::make_shared<KallsymsCache>();
}

absl::Status CheckTogether(const EmitterInfo& format,
                           const ConvertOptions& options) {
  const size_t dsos = options.filter.list(FilterKey::kDso).size();
  if (format.is_about_one_dso && dsos > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        format.name, " is about one file; name one with --dso, not ", dsos));
  }
  return CheckWallClock(options, {.branches = format.is_about_one_dso});
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
  if (format.is_about_one_dso) {
    const auto it = given.find("dso");
    options["dso"] = it != given.end() ? it->second : "";
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

void AddBaseDiagnostics(const Diagnostics& of_base, Diagnostics* all) {
  for (const auto& [what, entry] : of_base.entries()) {
    all->Add(entry.severity, absl::StrCat("base: ", what), entry.first_offset,
             entry.bytes, entry.count);
  }
}

}  // namespace perf2x
