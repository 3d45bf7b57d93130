// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CALL_PATH_H_
#define PERF2X_EMIT_CALL_PATH_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// One function of a call path.
struct CallSite {
  FrameId frame = 0;
  FunctionId function = 0;
  uint32_t line = 0;     // executing line; 0: not known
  bool inlined = false;  // into the next site
};

// Converts stacks to functions, inlined ones included, for emitters that write
// sample by sample. Caches the paths of recent stacks in bounded memory. Not
// thread-safe.
class CallPaths {
 public:
  explicit CallPaths(TraceTables& tables);

  // Returns the call path of a stack, leaf first; never empty. Valid until the
  // next call.
  absl::Span<const CallSite> PathOf(StackId stack);

  // Appends names from the root to the leaf, separated by ";". A ";" in a name
  // becomes ":".
  void AppendFolded(absl::Span<const CallSite> path, std::string* out) const;

 private:
  struct Entry {
    StackId stack = kNoId;
    std::vector<CallSite> path;
  };
  TraceTables& tables_;
  std::vector<Entry> recent_;  // direct-mapped by stack
  size_t kept_ = 0;            // call sites in recent_
  std::vector<FrameId> frames_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CALL_PATH_H_
