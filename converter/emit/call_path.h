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
  uint32_t line = 0;     // that is executing; 0: not known
  bool inlined = false;  // into the site that follows
};

// The stacks of samples as functions, inlined ones among them, for emitters
// that write sample by sample. The paths of recent stacks are kept, so that
// memory does not grow.
class CallPaths {
 public:
  explicit CallPaths(TraceTables& tables);

  // Leaf first; never empty. Valid until the next call.
  absl::Span<const CallSite> Of(StackId stack);

  // Names from the root to the leaf, separated by ";". One in a name becomes
  // ":". Appends to `*out`.
  void AppendFolded(absl::Span<const CallSite> path, std::string* out) const;

 private:
  struct Entry {
    StackId stack = kNoId;
    std::vector<CallSite> path;
  };
  TraceTables& tables_;
  std::vector<Entry> recent_;  // direct-mapped by stack
  size_t kept_ = 0;            // sites of all of these
  std::vector<FrameId> frames_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CALL_PATH_H_
