// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_stacks.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace perf2x {
namespace {

// Size in JSON, with the DSO, from which a name is long, and bytes of long
// names that cost one step of work.
constexpr size_t kLongName = 1 << 10, kBytesAStep = 2;

// Returns true for functions between a context switch and the code that
// blocked: the scheduler's entry points (kernel/sched/core.c,
// kernel/time/timer.c) and the tracing code.
bool IsSchedulers(absl::string_view name) {
  for (absl::string_view prefix :
       {"__schedule", "schedule", "preempt_schedule", "io_schedule",
        "__traceiter_", "perf_trace_", "trace_event_raw_event_"}) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

}  // namespace

EntryId ChromeStacks::EntryOf(FunctionId function, DsoId dso) {
  auto [it, inserted] = ids_.try_emplace(std::pair(function, dso),
                                         static_cast<EntryId>(entries_.size()));
  if (!inserted) return it->second;
  const Function& known = tables_.functions()[function];
  const SliceText* text = trace_.FunctionText(tables_.strings[known.name],
                                              tables_.dsos()[dso].name);
  const size_t size = text->head.size() + text->tail.size();
  entries_.push_back(
      {function, dso, text,
       size < kLongName ? 0 : static_cast<uint32_t>(size / kBytesAStep)});
  return it->second;
}

// Puts entries in place of the sites of new paths, which are leaf first.
void ChromeStacks::ConvertNewPaths() {
  for (; converted_ < paths_.size(); ++converted_) {
    while (entry_of_site_.size() < paths_.sites().size()) {
      const CallSite& site = paths_.sites()[entry_of_site_.size()];
      entry_of_site_.push_back(
          EntryOf(site.function, tables_.frames()[site.frame].dso));
    }
    const absl::Span<uint32_t> path = paths_.MutableSitesOf(converted_);
    std::reverse(path.begin(), path.end());
    for (uint32_t& site : path) site = entry_of_site_[site];
  }
}

absl::Span<const EntryId> ChromeStacks::EntriesOf(StackId stack) {
  const uint32_t path = paths_.PathOf(stack).number;
  ConvertNewPaths();
  return paths_.SitesOf(path);
}

void ChromeStacks::Load(absl::Span<const StackId> stacks) {
  paths_.PathsOf(stacks, workers_, &loaded_);
}

absl::Span<const EntryId> ChromeStacks::Loaded(size_t i) {
  // Not in Load: while the budget is exhausted, no slices ask for texts.
  ConvertNewPaths();
  constexpr size_t kFarAhead = 16, kAhead = 8;
  if (i + kFarAhead < loaded_.size()) {
    paths_.PrefetchPath(loaded_[i + kFarAhead].number);
    paths_.PrefetchSites(loaded_[i + kAhead].number);
  }
  return paths_.SitesOf(loaded_[i].number);
}

absl::string_view ChromeStacks::FileOrDso(EntryId entry) const {
  const StringId file = tables_.functions()[entries_[entry].function].file;
  return file != 0
             ? tables_.strings[file]
             : absl::string_view(tables_.dsos()[entries_[entry].dso].name);
}

absl::string_view ChromeStacks::BlockedIn(StackId stack) {
  const absl::Span<const EntryId> entries = EntriesOf(stack);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const DsoKind kind = tables_.dsos()[entries_[*entry].dso].kind;
    if (kind != DsoKind::kKernel && kind != DsoKind::kKernelModule) break;
    if (tables_.functions()[entries_[*entry].function].placeholder) break;
    const absl::string_view name = Name(*entry);
    if (!IsSchedulers(name)) return TryChargeName(*entry) ? name : "";
  }
  return "";
}

void ChromeStacks::WriteStack(absl::string_view key, StackId stack,
                              JsonWriter& json) {
  const absl::Span<const EntryId> entries = EntriesOf(stack);
  json.Key(key);
  json.BeginArray();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (!TryChargeName(*entry)) continue;
    json.String(Name(*entry));
    // Errors of the output are returned by later writes, too.
    json.MaybeFlush().IgnoreError();
  }
  json.EndArray();
}

}  // namespace perf2x
