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

void ChromeStacks::Append(absl::Span<const FrameId> frames,
                          std::vector<EntryId>* entries) {
  ranges_.resize(std::max(ranges_.size(), tables_.frames().size()));
  const size_t flat = functions_.CountFlatFrames(frames);
  for (size_t at = frames.size(); at-- > 0;) {
    const FrameId frame = frames[at];
    Range& range = ranges_[frame];
    if (range.count == 0) {
      const DsoId dso = tables_.frames()[frame].dso;
      const absl::Span<const Line> lines = tables_.Lines(frame);
      range = {static_cast<uint32_t>(frame_entries_.size()),
               static_cast<uint32_t>(lines.size())};
      for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        frame_entries_.push_back(EntryOf(line->function, dso));
      }
    }
    const auto first = frame_entries_.begin() + range.first;
    entries->insert(entries->end(), first,
                    first + (at < flat ? 1 : range.count));
  }
}

absl::Span<const EntryId> ChromeStacks::EntriesOf(StackId stack) {
  tables_.FramesOf(stack, &frames_);
  entries_of_stack_.clear();
  Append(frames_, &entries_of_stack_);
  return entries_of_stack_;
}

void ChromeStacks::Load(absl::Span<const StackId> stacks) {
  places_.clear();
  loaded_.clear();
  loaded_ends_.clear();
  frame_ends_.clear();
  for (const StackId stack : stacks) {
    tables_.AppendPlaces(stack, &places_);
    frame_ends_.push_back(static_cast<uint32_t>(places_.size()));
  }
  tables_.InternFrames(places_, &loaded_frames_);
  tables_.SymbolizeAllFrames(workers_, /*more_to_come=*/true);
  for (size_t i = 0; i < stacks.size() && loaded_.size() < kMaxLoaded; ++i) {
    Append(LoadedFrames(i), &loaded_);
    loaded_ends_.push_back(static_cast<uint32_t>(loaded_.size()));
  }
}

absl::Span<const EntryId> ChromeStacks::Loaded(size_t i) {
  if (i < loaded_ends_.size()) {
    const uint32_t begin = i == 0 ? 0 : loaded_ends_[i - 1];
    return {loaded_.data() + begin, loaded_ends_[i] - begin};
  }
  entries_of_stack_.clear();
  Append(LoadedFrames(i), &entries_of_stack_);
  return entries_of_stack_;
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
