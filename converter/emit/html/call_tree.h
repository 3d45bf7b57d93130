// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_CALL_TREE_H_
#define PERF2X_EMIT_HTML_CALL_TREE_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/base/string_table.h"
#include "converter/emit/html/stack_frames.h"
#include "converter/emit/html/step_table.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The call tree of a page, with the functions and DSOs in it. A recording and
// its base share one tree: functions are equal by name, source file and DSO.
// Not thread-safe.
class CallTree {
 public:
  using NodeId = uint32_t;
  static constexpr NodeId kRoot = 0;
  struct DsoRow {
    StringId name = 0;
    DsoKind kind = DsoKind::kUnknown;
  };
  struct FunctionRow {
    StringId name = 0, file = 0;
    uint32_t line = 0;  // of the definition; 0: not known
    uint32_t dso = 0;
    bool placeholder = false;
  };
  struct Node {
    NodeId parent = kRoot;  // a lower id; kRoot for the root itself
    uint32_t function = 0;
    bool inlined = false;  // into the parent
  };

  // With `by_file_name`, files are the same DSO if their file names are equal,
  // whatever their folders: the base recording may be of a program at another
  // path.
  explicit CallTree(bool by_file_name);

  // Adds the stacks of a recording and empties `*stacks`. All frames of
  // `tables` must be symbolized. Sets `(*node_of)[id]` to the leaf node of
  // stack `id`; `*node_of` must have an entry for each stack id. Once the
  // budget is exhausted, further stacks get kRoot, and their frames are added
  // to `*skipped_frames`. Add the base first: of equal functions, the line
  // number of the latest recording is kept.
  void Add(StackFrames* stacks, TraceTables& tables, Budget& budget,
           std::vector<NodeId>* node_of, uint64_t* skipped_frames);
  // Returns the approximate memory in bytes.
  uint64_t memory() const;

  // Interns `name` into strings(), converted with AsPlainText and cut to
  // kMaxName bytes. The text is not escaped for HTML.
  StringId InternText(absl::string_view name);
  static constexpr size_t kMaxName = 4096;

  const StringTable& strings() const { return strings_; }
  // Row 0 of functions and DSOs belongs to the root and is empty.
  const std::vector<DsoRow>& dsos() const { return dsos_; }
  const std::vector<FunctionRow>& functions() const { return functions_; }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  // The functions at a recording's frames. In `steps`, the functions of a frame
  // are outermost first. Each is shifted left by one; the lowest bit is set if
  // it is inlined.
  struct Steps {
    std::vector<uint32_t> first;  // by frame, in `steps`; one more at the end
    std::vector<uint32_t> steps;
    uint64_t memory() const {
      return (first.size() + steps.size()) * sizeof(uint32_t);
    }
  };
  class Walkers;
  Steps StepsOf(TraceTables& tables, Budget::Share* memory);
  uint32_t DsoOf(const Dso& dso);
  uint32_t FunctionOf(const Function& function, uint32_t dso,
                      const StringTable& strings);
  NodeId Child(NodeId parent, uint32_t step);

  const bool by_file_name_;
  StringTable strings_;
  std::vector<DsoRow> dsos_;
  std::vector<FunctionRow> functions_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::tuple<StringId, DsoKind>, uint32_t> dso_ids_;
  absl::flat_hash_map<std::tuple<StringId, StringId, uint32_t>, uint32_t>
      function_ids_;  // by name, file and DSO
  StepTable ids_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_CALL_TREE_H_
