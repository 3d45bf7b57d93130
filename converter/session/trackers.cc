// SPDX-License-Identifier: Apache-2.0
#include "converter/session/trackers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/wire.h"
#include "converter/session/trace_info.h"

namespace perf2x {

Trackers::Trackers(SessionDeps session_deps)
    : deps(std::move(session_deps)),
      sink(deps.emitter, {.before_begin = [this] { return PrepareTrace(); },
                          .after_begin = [this] { return tee.ReportEarly(); },
                          .before_event = [this] { return DrainDelayed(); }}),
      mappings({.tables = deps.tables,
                .dsos = dsos,
                .spaces = spaces,
                .threads = threads,
                .sink = sink,
                .features = features,
                .environment = deps.environment,
                .diagnostics = deps.diagnostics,
                .work = work}),
      stacks(deps.tables, spaces,
             deps.selector == nullptr ? 0 : deps.selector->max_stack(), work),
      samples({.attrs = deps.attrs,
               .events = events,
               .threads = threads,
               .spaces = spaces,
               .stacks = stacks,
               .counters = counters,
               .sched = sched,
               .tee = tee,
               .counts = counts,
               .queue = queue,
               .sink = sink,
               .selector = deps.selector,
               .helpers = deps.helpers,
               .parts = parts,
               .work = work,
               .diagnostics = deps.diagnostics}),
      traces({.attrs = deps.attrs,
              .events = events,
              .threads = threads.table(),
              .samples = samples,
              .counts = counts,
              .features = features,
              .work = work,
              .diagnostics = deps.diagnostics,
              .options = deps.itrace,
              .intel_pt = {.attrs = deps.attrs,
                           .threads = threads.table(),
                           .tables = deps.tables,
                           .spaces = spaces,
                           .jit_code = mappings.jit_code(),
                           .environment = deps.environment,
                           .features = features,
                           .counts = counts,
                           .work = work,
                           .diagnostics = deps.diagnostics,
                           .samples = {.attrs = deps.attrs,
                                       .events = events,
                                       .tables = deps.tables,
                                       .spaces = spaces,
                                       .threads = threads,
                                       .stacks = stacks,
                                       .samples = samples,
                                       .sink = sink,
                                       .work = work,
                                       .diagnostics = deps.diagnostics,
                                       .options = deps.itrace}}}),
      etm({.tables = deps.tables,
           .spaces = spaces,
           .jit_code = mappings.jit_code(),
           .environment = deps.environment,
           .diagnostics = deps.diagnostics,
           .samples = {.attrs = deps.attrs,
                       .events = events,
                       .threads = threads.table(),
                       .sink = sink,
                       .samples = samples,
                       .counts = counts,
                       .work = work,
                       .options = deps.itrace}}) {}

// Called before each event that is not a sample. Samples that are not delayed
// for unwinding were flushed where the event could change their meaning.
absl::Status Trackers::DrainDelayed() {
  return queue.delays_for_unwinding() ? queue.Drain() : absl::OkStatus();
}

// Called once the recording's header has been read: sets up everything that
// depends on it.
TraceInfo Trackers::PrepareTrace() {
  HostEnvironment& environment = deps.environment;
  events.Sync();
  deps.tables.set_symbolizer(environment.MakeSymbolizer(features));
  spaces.set_interrupt_entries([&environment](const Dso& kernel) {
    return environment.InterruptEntries(kernel);
  });
  if (deps.selector != nullptr && deps.selector->needs_symbols()) {
    deps.selector->set_symbolizer(
        environment.MakeSymbolizerWithoutLines(features));
  }
  spaces.set_callers_are_call_sites(features.has(kFeatureSimpleperfMetaInfo));
  parts.set_arch(features.machine());
  stacks.SetUnwinding(features.machine(),
                      environment.MakeUnwindInfoSource(features));
  TraceInfo info = MakeTraceInfo(deps.input, features, deps.attrs.events());
  info.recording_id = deps.recording_id;
  if (!info.recorded_at.has_value()) info.recorded_at = deps.written_at;
  return info;
}

uint64_t Trackers::memory() const {
  return deps.tables.memory() + threads.table().memory() + spaces.memory() +
         events.memory() + stacks.memory() + parts.memory() + samples.memory() +
         counters.memory() + features.memory + recorded_code.memory() +
         sched.memory() + sleeps.memory() + traces.memory() + etm.memory() +
         dsos.memory() + deps.environment.memory();
}

TraceSummary Trackers::Summarize(const ByteAccount& bytes) {
  TraceSummary summary;
  summary.first_time = counts.first_time();
  summary.last_time = counts.last_time();
  summary.lost_records = losses.lost_records();
  summary.lost_samples = losses.lost_samples();
  summary.main_dso = threads.table().TakeMainProgram();
  summary.records = counts.ByType(bytes);
  losses.AppendLines(&summary.losses);
  for (const auto& [message, entry] : deps.diagnostics.entries()) {
    if (entry.severity == Diagnostics::Severity::kNote) continue;
    summary.losses.push_back(absl::StrCat(
        entry.count, " x ", message, ", first at offset ", entry.first_offset));
  }
  return summary;
}

void Trackers::GatherFacts() {
  stacks.EndUnwinding(&deps.diagnostics);
  counters.EndRounds();
  if (losses.aux_gaps() > 0) {
    deps.diagnostics.Add(
        Diagnostics::Severity::kNote,
        "part of a hardware trace that was lost while recording (AUX record)",
        0, 0, losses.aux_gaps());
  }
  facts.arch = features.machine();
  facts.command_line = features.command_line;
  facts.first_time = counts.first_time();
  facts.last_time = counts.last_time();
  facts.exec_time = threads.exec_time();
  facts.exit_time = threads.exit_time();
  facts.unwound_stacks = stacks.unwound_stacks();
  facts.incomplete_dumps = stacks.incomplete_dumps();
  facts.has_kernel_map = mappings.has_kernel();
  facts.mapped_files = static_cast<uint64_t>(
      std::count_if(deps.tables.dsos().begin(), deps.tables.dsos().end(),
                    [](const Dso& dso) { return dso.kind == DsoKind::kFile; }));
  facts.has_counts = counters.has_stat_values();
  facts.calls = traces.calls();
  facts.has_branch_list = features.has(kFeatureSimpleperfEtmBranchList);
  facts.has_hardware_trace = counts.has(kRecordAuxtrace);
  facts.has_undecoded_trace = traces.has_undecoded_trace();
  facts.accesses = parts.accesses();
  facts.AddEvents(deps.attrs.events(), stacks.has_stack_limit(),
                  counters.times().ByEvent());
  facts.stacks.Collect(deps.tables);
}

}  // namespace perf2x
