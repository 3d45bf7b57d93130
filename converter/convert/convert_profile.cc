// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/convert_profile.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/gzip_output.h"
#include "converter/base/status_macros.h"
#include "converter/convert/kept_labels.h"
#include "converter/convert/local_machine.h"
#include "converter/convert/profile_input.h"
#include "converter/model/event_names.h"
#include "converter/perf/header/features.h"
#include "converter/profile_source/profile_encoder.h"
#include "converter/profile_source/symbolized_profile.h"
#include "converter/symbolize/kernel/kallsyms_cache.h"

namespace perf2x {
namespace {

// Different sets of files whose symbols samples lack. The samples after so many
// are not counted: a profile with more is made up.
constexpr StackId kMaxSets = 1 << 16;

absl::Status WriteTo(const Profile& profile, ProfileSource& source,
                     TraceTables& tables, SampleGate gate, Output& output) {
  return source.trace().found_any()
             ? WriteSymbolizedProfile(profile, source.trace(), tables, gate,
                                      output)
             : WriteProfile(profile, gate, output);
}

}  // namespace

absl::Status CheckSuitsProfile(const ConvertOptions& options) {
  if (options.derived.wall_clock || options.derived.latency) {
    return absl::InvalidArgumentError(
        "--wall-clock and --latency need a recording: a pprof profile does not "
        "say when threads ran");
  }
  if (!options.filter.time.shares.empty()) {
    return absl::InvalidArgumentError(
        "--time in percent is for recordings: a pprof profile does not say "
        "when it began and ended");
  }
  return absl::OkStatus();
}

absl::Status CheckShowsProfiles(const EmitterInfo& format) {
  if (format.is_about_one_dso) {
    return absl::FailedPreconditionError(absl::StrCat(
        format.name,
        " is made of the addresses and branches of a recording, which a pprof "
        "profile does not say; convert the recording itself"));
  }
  if (!format.needs_times) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      format.name,
      " shows when samples were taken, which a pprof profile does not say; "
      "--to html, folded, speedscope and csv show profiles"));
}

void AppendEventCounts(const ProfileSource& source, const TraceTables& tables,
                       const SampleFilter& filter, ConvertReport* report) {
  EventNames names(tables.events);
  for (EventId i = 0; i < source.totals().size(); ++i) {
    const auto& filtered = filter.filtered();
    report->events.push_back(
        {names[i], tables.events[i].unit, source.totals()[i].samples,
         source.totals()[i].period, i < filtered.size() ? filtered[i] : 0});
  }
}

void CountProfileSamples(StackId stack, uint64_t samples, StackSubset* stacks) {
  // Values may be any number; sums of these stay far from an overflow.
  constexpr uint64_t kMax = uint64_t{1} << 40;
  stacks->CountSample(stack, std::min(samples, kMax));
}

void CollectUnsymbolized(const ProfileTrace& trace, TraceTables& tables,
                         StackSubset* stacks) {
  stacks->Collect(tables, [&](const FramePlace& place) {
    return trace.LacksSymbolAt(place);
  });
}

absl::Status CopyProfile(Input input, OutputFactory& outputs,
                         const ConvertOptions& options, Pipeline& pipeline,
                         ConvertReport* report) {
  RETURN_IF_ERROR(CheckSuitsProfile(options));
  Budget budget;
  if (!options.untrusted) input.AddSizesTo(&budget);
  ASSIGN_OR_RETURN(const KeptLabels labels,
                   KeptLabels::FromOptions(options.emitter_options));
  SymbolizeOptions symbols = options.symbols;
  symbols.workers = &pipeline.workers();
  if (symbols.kallsyms_cache == nullptr) {
    symbols.kallsyms_cache = std::make_shared<KallsymsCache>();
  }
  ASSIGN_OR_RETURN(Profile profile,
                   ReadProfileInput(std::move(input), budget, &report->bytes));
  budget.ReleaseReserve();
  if (options.symbolize) {
    RETURN_IF_ERROR(CorrectKernelAddresses(symbols, &profile));
  }
  TraceTables tables;
  SampleFilter filter(options.filter, tables, budget);
  LocalMachine machine(std::move(symbols), options.symbolize,
                       !options.untrusted, tables);
  const bool selects = options.filter.any() || filter.max_stack() != 0;
  ProfileSource source(profile, tables, selects ? &filter : nullptr, budget,
                       report->diagnostics);
  source.trace().set_file_symbolizer(machine.MakeSymbolizer(HeaderFeatures()));
  if (filter.needs_symbols()) filter.set_symbolizer(&source.trace());
  const bool looks_up = options.symbolize && source.trace().lacks_symbols();
  if (looks_up) {
    source.trace().InternAllFrames();
    tables.SymbolizeAllFrames(pipeline.workers());
  }
  bool counts = looks_up;
  MeteredOutputs metered(outputs, budget, *pipeline.helpers());
  ASSIGN_OR_RETURN(std::unique_ptr<Output> file, metered.Open(""));
  GzipOutput output(std::move(file), pipeline.helpers());
  const auto gate = [&](ProfileSample* sample) {
    if (!source.ApplySelector(sample)) return false;
    labels.Apply(profile, sample);
    if (counts) {
      const StackId files = source.InternUnsymbolized(*sample);
      CountProfileSamples(files, source.CountIn(*sample),
                          &report->facts.stacks);
      counts = files < kMaxSets;
    }
    return true;
  };
  const absl::Status status = WriteTo(profile, source, tables, gate, output);
  AppendEventCounts(source, tables, filter, report);
  report->is_profile = true;
  report->unmatched = filter.Unmatched();
  if (machine.symbolizer() != nullptr) {
    report->symbols = machine.symbolizer()->Reports();
  }
  if (looks_up) {
    CollectUnsymbolized(source.trace(), tables, &report->facts.stacks);
  }
  CompleteReport(report);
  RETURN_IF_ERROR(status);
  if (selects) RETURN_IF_ERROR(filter.Check());
  return output.Close();
}

}  // namespace perf2x
