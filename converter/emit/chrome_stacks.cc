#include "converter/emit/chrome_stacks.h"

namespace perf2x {

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

void ChromeStacks::WriteArgs(const StackEntry& entry, JsonWriter& json) const {
  const Function& function = tables_.functions()[entry.function];
  if (function.file != 0) {
    json.Key("file");
    json.String(tables_.strings[function.file]);
  }
  json.Key("dso");
  json.String(tables_.files()[entry.file].name);
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
