// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/call_path.h"

#include <algorithm>
#include <string>

#include "converter/base/text.h"

namespace perf2x {
namespace {

constexpr size_t kRecent = 1 << 12;
// Bound on the call sites of all cached paths.
constexpr size_t kMaxKept = 1 << 20;

}  // namespace

CallPaths::CallPaths(TraceTables& tables) : tables_(tables), recent_(kRecent) {}

absl::Span<const CallSite> CallPaths::PathOf(StackId stack) {
  Entry& entry = recent_[stack % kRecent];
  if (entry.stack == stack) return entry.path;
  if (kept_ > kMaxKept) {
    for (Entry& other : recent_) other = Entry();
    kept_ = 0;
  }
  kept_ -= entry.path.size();
  entry.stack = stack;
  entry.path.clear();
  tables_.FramesOf(stack, &frames_);
  for (FrameId frame : frames_) {
    const absl::Span<const Line> lines = tables_.Lines(frame);
    for (size_t i = 0; i < lines.size(); ++i) {
      entry.path.push_back(
          {frame, lines[i].function, lines[i].line, i + 1 < lines.size()});
    }
  }
  kept_ += entry.path.size();
  return entry.path;
}

void CallPaths::AppendFolded(absl::Span<const CallSite> path,
                             std::string* out) const {
  for (size_t i = path.size(); i-- > 0;) {
    std::string scratch;
    const absl::string_view name = AsPlainText(
        tables_.strings[tables_.functions()[path[i].function].name], &scratch);
    const size_t begin = out->size();
    out->append(name.data(), name.size());
    std::replace(out->begin() + static_cast<ptrdiff_t>(begin), out->end(), ';',
                 ':');
    if (i > 0) out->push_back(';');
  }
}

}  // namespace perf2x
