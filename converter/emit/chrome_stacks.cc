#include "converter/emit/chrome_stacks.h"

#include "absl/strings/match.h"

namespace perf2x {
namespace {

// Whether a function is between a switch and who asked for it: the scheduler's
// entries (kernel/sched/core.c, kernel/time/timer.c) and the tracing code.
bool IsSchedulers(absl::string_view name) {
  for (absl::string_view prefix :
       {"__schedule", "schedule", "preempt_schedule", "io_schedule",
        "__traceiter_", "perf_trace_", "trace_event_raw_event_"}) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

}  // namespace

absl::Span<const StackEntry> ChromeStacks::Of(StackId stack) {
  tables_.FramesOf(stack, &frames_);
  entries_.clear();
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const CodeFileId file = tables_.frames()[*frame].file;
    const absl::Span<const Line> lines = tables_.Lines(*frame);
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      entries_.push_back({line->function, file});
    }
  }
  return entries_;
}

absl::string_view ChromeStacks::Place(const StackEntry& entry) const {
  const StringId file = tables_.functions()[entry.function].file;
  return file != 0 ? tables_.strings[file]
                   : absl::string_view(tables_.files()[entry.file].name);
}

const SliceText& ChromeStacks::Text(const StackEntry& entry) {
  auto [it, inserted] = texts_.try_emplace(entry);
  SliceText& text = it->second;
  if (!inserted) return text;
  text.name = JsonText([&](JsonWriter& json) { json.String(Name(entry)); });
  text.args = JsonText([&](JsonWriter& json) {
    json.BeginObject();
    const Function& function = tables_.functions()[entry.function];
    if (function.file != 0) {
      json.Key("file");
      json.String(tables_.strings[function.file]);
    }
    json.Key("dso");
    json.String(tables_.files()[entry.file].name);
    json.EndObject();
  });
  return text;
}

absl::string_view ChromeStacks::BlockedIn(StackId stack) {
  const absl::Span<const StackEntry> entries = Of(stack);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const CodeKind kind = tables_.files()[entry->file].kind;
    if (kind != CodeKind::kKernel && kind != CodeKind::kKernelModule) break;
    if (tables_.functions()[entry->function].placeholder) break;
    const absl::string_view name = Name(*entry);
    if (!IsSchedulers(name)) return name;
  }
  return "";
}

void ChromeStacks::WriteStack(StackId stack, JsonWriter& json) {
  const absl::Span<const StackEntry> entries = Of(stack);
  json.Key("stack");
  json.BeginArray();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    json.String(Name(*entry));
  }
  json.EndArray();
}

}  // namespace perf2x
