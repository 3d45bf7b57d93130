// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_CALL_TREE_H_
#define PERF2X_EMIT_HTML_CALL_TREE_H_

#include <cstdint>
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

// The call tree of a page, with the functions and DSOs in it. A page's
// recording and its base share one tree. Two functions are one if their names,
// source files and DSOs are equal. Not thread-safe.
class CallTree {
 public:
  using NodeId = uint32_t;
  static constexpr NodeId kRoot = 0;
  // A row of dsos().
  struct DsoRow {
    StringId name = 0;
    DsoKind kind = DsoKind::kUnknown;
  };
  // A row of functions().
  struct FunctionRow {
    StringId name = 0, file = 0;
    uint32_t line = 0;         // of the definition; 0: not known
    uint32_t dso = 0;          // row of dsos()
    bool placeholder = false;  // see Function::placeholder
  };
  // A call of a function, below the calls that led to it.
  struct Node {
    NodeId parent = kRoot;  // a lower id; kRoot for the root itself
    uint32_t function = 0;  // row of functions()
    bool inlined = false;   // into the parent
  };

  // If `by_file_name` is set, files with one name in different folders are one
  // DSO: the base may be of a program at another path.
  explicit CallTree(bool by_file_name);

  // Adds the stacks of one recording, and empties `*stacks`. Sets
  // `(*node_of)[id]` to the node of the leaf of the stack `id`. `*node_of` must
  // have an element for each id in `*stacks`. All frames of `tables` must be
  // symbolized. The base must be added first: FunctionRow::line is from the
  // recording that is added last.
  //
  // Charges work to the budget, and, during the call, memory. The caller
  // charges memory() afterwards. Once the budget is exhausted, stacks lose
  // their inner frames. `*node_of` then has the node of the innermost frame
  // that was added, or kRoot. Adds the number of lost frames to
  // `*skipped_frames`.
  void Add(StackFrames* stacks, TraceTables& tables, Budget& budget,
           std::vector<NodeId>* node_of, uint64_t* skipped_frames);
  // Returns the approximate memory in bytes.
  uint64_t memory() const;

  // Interns `name`, converted with AsPlainText, into strings(). Cuts a longer
  // result to at most kMaxName bytes, with "…" at the end. Does not escape for
  // HTML.
  StringId InternText(absl::string_view name);
  static constexpr size_t kMaxName = 4096;  // in bytes

  // Returns the strings to which all StringIds of the tree refer.
  const StringTable& strings() const { return strings_; }
  // Row 0 of dsos() and of functions() is empty; it belongs to the root.
  const std::vector<DsoRow>& dsos() const { return dsos_; }  // by row
  const std::vector<FunctionRow>& functions() const { return functions_; }
  const std::vector<Node>& nodes() const { return nodes_; }  // by NodeId

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
      function_ids_;    // by name, file and DSO
  StepTable children_;  // ids of nodes, by parent and step
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_CALL_TREE_H_
