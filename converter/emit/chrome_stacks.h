#ifndef PERF2X_EMIT_CHROME_STACKS_H_
#define PERF2X_EMIT_CHROME_STACKS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/types/span.h"
#include "converter/emit/chrome_trace.h"
#include "converter/emit/json_writer.h"
#include "converter/profile/tables.h"

namespace perf2x {

// A function of a stack, and the file that its code is in.
struct StackEntry {
  FunctionId function = 0;
  CodeFileId file = 0;
  friend bool operator==(const StackEntry&, const StackEntry&) = default;
  template <class H>
  friend H AbslHashValue(H h, const StackEntry& e) {
    return H::combine(std::move(h), e.function, e.file);
  }
};

// Gives stacks as the functions in them, inlined ones too, outermost first.
class ChromeStacks {
 public:
  explicit ChromeStacks(ProfileTables& tables) : tables_(tables) {}

  // Valid until the next call.
  absl::Span<const StackEntry> Of(StackId stack);
  absl::string_view Name(const StackEntry& entry) const {
    return tables_.strings[tables_.functions()[entry.function].name];
  }
  // Its source file; where that is not known, the file of its code.
  absl::string_view Place(const StackEntry& entry) const;
  // The function's slices. Their args are what all its code has in common:
  // "file" where its source is known, and "dso".
  const SliceText& Text(const StackEntry& entry);
  // The function of the kernel that gave the CPU away, at the top of the stack
  // but for the scheduler's own; empty when there is none or its name is not
  // known.
  absl::string_view BlockedIn(StackId stack);
  // "stack": the functions' names, innermost first.
  void WriteStack(StackId stack, JsonWriter& json);

 private:
  ProfileTables& tables_;
  std::vector<FrameId> frames_;
  std::vector<StackEntry> entries_;
  absl::node_hash_map<StackEntry, SliceText> texts_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_STACKS_H_
