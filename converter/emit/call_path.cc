// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/call_path.h"

#include <algorithm>
#include <string>

namespace perf2x {
namespace {

constexpr size_t kRecent = 1 << 12;
// Bound on the call sites that all cached paths have memory for.
constexpr size_t kMaxKept = 1 << 20;
// Bound on the text of a path, unless its leaf alone is longer.
constexpr size_t kMaxText = 4 << 20;

}  // namespace

CallPaths::CallPaths(TraceTables& tables, StackFunctions& functions)
    : tables_(tables),
      functions_(functions),
      names_(tables.strings),
      recent_(kRecent) {}

absl::Span<const CallSite> CallPaths::PathOf(StackId stack) {
  Entry& entry = recent_[stack % kRecent];
  if (entry.stack == stack) return entry.path;
  if (kept_ > kMaxKept) {
    for (Entry& other : recent_) other = Entry();
    kept_ = 0;
  }
  kept_ -= entry.path.capacity();
  entry.stack = stack;
  entry.path.clear();
  tables_.FramesOf(stack, &frames_);
  entry.path.reserve(frames_.size());
  const size_t flat = functions_.CountFlatFrames(frames_);
  for (size_t at = 0; at < frames_.size(); ++at) {
    const FrameId frame = frames_[at];
    const absl::Span<const Line> lines = functions_.LinesOf(frame, at < flat);
    for (size_t i = 0; i < lines.size(); ++i) {
      entry.path.push_back(
          {frame, lines[i].function, lines[i].line, i + 1 < lines.size()});
    }
  }
  kept_ += entry.path.capacity();
  return entry.path;
}

void CallPaths::AppendFolded(absl::Span<const CallSite> path,
                             std::string* out) {
  const size_t start = out->size();
  for (size_t i = path.size(); i-- > 0;) {
    const absl::string_view name = NameOf(path[i]);
    if (out->size() - start + name.size() > kMaxText && path.size() > 1) {
      out->resize(start);
      ++cut_;
      return AppendFolded(path.first(SitesThatFit(path)), out);
    }
    out->append(name.data(), name.size());
    if (i > 0) out->push_back(';');
  }
}

// Returns the number of innermost sites, at least one, whose names fit into
// kMaxText.
size_t CallPaths::SitesThatFit(absl::Span<const CallSite> path) {
  size_t sites = 0, size = 0;
  for (; sites < path.size(); ++sites) {
    size += NameOf(path[sites]).size() + 1;
    if (size > kMaxText) break;
  }
  return std::max<size_t>(sites, 1);
}

void CallPaths::Report(Diagnostics* diagnostics) const {
  if (diagnostics == nullptr || cut_ == 0) return;
  diagnostics->Add(
      Diagnostics::Severity::kSkipped,
      "call path without its outermost names: they have more than 4 MiB", 0, 0,
      cut_);
}

}  // namespace perf2x
