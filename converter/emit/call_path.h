// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CALL_PATH_H_
#define PERF2X_EMIT_CALL_PATH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/diagnostics.h"
#include "converter/emit/call_path_names.h"
#include "converter/emit/stack_functions.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// One function of a call path.
struct CallSite {
  FrameId frame = 0;
  FunctionId function = 0;
  uint32_t line = 0;     // executing line; 0: not known
  bool inlined = false;  // into its caller, the next site of the path
};

// Converts stacks to functions, inlined ones included, for emitters that need
// the path of one stack at a time. Caches the paths of recent stacks in bounded
// memory. Not thread-safe.
class CallPaths {
 public:
  // Both must outlive this.
  CallPaths(TraceTables& tables, StackFunctions& functions);

  // Returns the call path of a stack, leaf first; never empty. Symbolizes its
  // frames. For very large stacks, see StackFunctions. Valid until the next
  // call of PathOf.
  absl::Span<const CallSite> PathOf(StackId stack);

  // Appends the names of `path` from the root to the leaf, separated by ";"
  // (see CallPathNames). If they take more than 4 MiB, omits outermost names,
  // but never the leaf. Counts such a path for Report.
  void AppendFolded(absl::Span<const CallSite> path, std::string* out);
  // Adds the number of paths that lost names to `diagnostics`, which may be
  // null. To be called once.
  void Report(Diagnostics* diagnostics) const;

 private:
  struct Entry {
    StackId stack = kNoId;
    std::vector<CallSite> path;
  };
  size_t SitesThatFit(absl::Span<const CallSite> path);
  absl::string_view NameOf(const CallSite& site) {
    return names_.TextOf(tables_.functions()[site.function].name);
  }

  TraceTables& tables_;
  StackFunctions& functions_;
  CallPathNames names_;
  std::vector<Entry> recent_;  // direct-mapped by stack
  size_t kept_ = 0;            // sum of the capacities of all paths in recent_
  uint64_t cut_ = 0;           // paths whose outermost names were skipped
  std::vector<FrameId> frames_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CALL_PATH_H_
