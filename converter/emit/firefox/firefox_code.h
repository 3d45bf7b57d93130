// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_CODE_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_CODE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/emit/json_writer.h"
#include "converter/emit/used_stacks.h"
#include "converter/emit/used_strings.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The tables that all threads of a profile share: stacks, frames, functions,
// symbols, source files, libraries. Charges nothing to the budget. Not
// thread-safe.
class FirefoxCode {
 public:
  // All arguments must outlive this. UsedStacks::Finish must have been called.
  // Looks up the functions of all frames, and interns names of resources into
  // `tables`.
  FirefoxCode(TraceTables& tables, const UsedStacks& stacks,
              UsedStrings& strings);

  // Returns the row of a stack's leaf in the stack table; kNoId if
  // UsedStacks::NodeOf returns kNoId.
  uint32_t StackOf(StackId stack) const {
    const StackTree::NodeId node = stacks_.NodeOf(stack);
    return node == kNoId ? kNoId : row_of_[node];
  }
  // Writes the list "libs". `arch` is TraceInfo::arch. To be called once.
  void WriteLibraries(const std::string& arch, JsonWriter& json);
  // Writes all members of the object "shared" except "stringArray", and adds
  // their strings to `strings`. To be called once, after WriteLibraries and
  // before `strings` are written.
  void WriteShared(JsonWriter& json);

 private:
  struct FunctionRow {
    FunctionId function = 0;
    uint32_t resource = 0;
  };
  struct Symbol {
    FunctionId function = 0;
    uint32_t library = 0;
    uint64_t address = 0;  // the lowest one with a sample
  };

  uint32_t LibraryOf(DsoId dso);
  uint32_t ResourceOf(DsoId dso);
  uint64_t AddressOf(FrameId frame) const;
  uint32_t FunctionOf(FunctionId function, uint32_t resource);
  uint32_t SymbolOf(FrameId frame, FunctionId function);
  void WriteStacks(JsonWriter& json) const;
  void WriteFrames(JsonWriter& json);
  void WriteFunctions(JsonWriter& json);
  void WriteResources(JsonWriter& json);
  void WriteSymbols(JsonWriter& json);
  void WriteSources(JsonWriter& json);
  // Calls `number(frame, line, depth)` for each row of the frame table, in
  // order, and writes the results as a column.
  template <class Number>
  void FrameColumn(JsonWriter& json, absl::string_view key, Number number);

  TraceTables& tables_;
  const UsedStacks& stacks_;
  UsedStrings& strings_;
  // By node: its last row in the stack table. A node has a row for its function
  // and one for each function that is inlined there.
  std::vector<uint32_t> row_of_;
  std::vector<uint32_t> first_row_;     // by frame, in the frame table
  std::vector<uint32_t> function_of_;   // by row of the frame table
  std::vector<uint32_t> symbol_of_;     // by frame; kNoId: none
  std::vector<uint32_t> library_of_;    // by DSO; kNoId: none
  std::vector<uint32_t> resource_of_;   // by DSO; kNoId: not computed yet
  std::vector<DsoId> libraries_;        // by library
  std::vector<StringId> resources_;     // by resource
  std::vector<bool> is_library_;        // by resource
  std::vector<FunctionRow> functions_;  // by row of the function table
  std::vector<Symbol> symbols_;         // by row of the symbol table
  std::vector<StringId> sources_;       // by row of the source table
  std::vector<uint32_t> source_of_;     // by row of the function table
  absl::flat_hash_map<StringId, uint32_t> resource_ids_, source_ids_;
  absl::flat_hash_map<std::pair<FunctionId, uint32_t>, uint32_t> function_ids_,
      symbol_ids_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_CODE_H_
