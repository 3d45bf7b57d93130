// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_STACKS_H_
#define PERF2X_EMIT_CHROME_CHROME_STACKS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/worker_pool.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/json_writer.h"
#include "converter/emit/path_numbers.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/stack_functions.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Index of a function in ChromeStacks. The same function in two DSOs has two
// indexes.
using EntryId = uint32_t;

// Converts stacks to their functions, inlined ones included, outermost first.
// Functions that take an EntryId require one that EntriesOf or Loaded returned.
// Not thread-safe.
class ChromeStacks {
 public:
  // All arguments must outlive this object; `diagnostics` may be null.
  ChromeStacks(TraceTables& tables, ChromeTrace& trace, WorkerPool& workers,
               Budget& budget, Diagnostics* diagnostics)
      : tables_(tables),
        trace_(trace),
        workers_(workers),
        budget_(budget),
        functions_(tables, budget, diagnostics),
        paths_(tables, functions_, budget, /*equal_paths_share=*/false),
        skip_counter_("long name of a function", budget, diagnostics) {}

  // Returns the functions of a stack. Valid until the next call of EntriesOf,
  // Loaded, BlockedIn or WriteStack.
  absl::Span<const EntryId> EntriesOf(StackId stack);
  // Converts many stacks together, in less time than one by one. After that,
  // Loaded(i) returns the functions of stacks[i]. Its result is valid until the
  // next call of Load, EntriesOf, Loaded, BlockedIn or WriteStack.
  void Load(absl::Span<const StackId> stacks);
  absl::Span<const EntryId> Loaded(size_t i);

  // Returns the name of the function.
  absl::string_view Name(EntryId entry) const {
    return tables_.strings[tables_.functions()[entries_[entry].function].name];
  }
  // To be called before each use of a name in the output. Returns true for
  // short names. For a long name, charges work to the budget. If the budget is
  // exhausted, counts a long name as skipped and returns false: the caller must
  // not write the name.
  bool TryChargeName(EntryId entry) {
    const uint32_t steps = entries_[entry].steps;
    if (steps == 0) return true;
    if (skip_counter_.CountIfExhausted()) return false;
    budget_.Spend(Budget::kWork, steps);
    return true;
  }
  // Returns true if the function's Text (its name and its DSO's) is long: from
  // 1 KiB on.
  bool IsLong(EntryId entry) const { return entries_[entry].steps != 0; }
  // Adds the numbers of skipped names and functions to the diagnostics. To be
  // called once.
  void Report() const {
    functions_.Report();
    skip_counter_.Report();
  }
  // Returns the function's source file. If it is not known, returns the DSO's
  // name.
  absl::string_view FileOrDso(EntryId entry) const;
  // Returns the JSON text that all slices of the function share. Never null.
  const SliceText* Text(EntryId entry) const { return entries_[entry].text; }
  // Returns the name of the function in which the thread waits: the innermost
  // kernel function on the stack that belongs neither to the scheduler nor to
  // tracing. Returns "" if there is none, if an unsymbolized function is
  // further in, or if TryChargeName returns false. Valid as long as the tables.
  absl::string_view BlockedIn(StackId stack);
  // Writes the member `key`: names of functions, innermost first. Omits names
  // for which TryChargeName returns false. Flushes `json` whenever enough is
  // buffered. Ignores errors of the output: the next flush returns them.
  void WriteStack(absl::string_view key, StackId stack, JsonWriter& json);

 private:
  struct Entry {
    FunctionId function;
    DsoId dso;
    const SliceText* text;
    uint32_t steps;  // of work for each use in the output; 0: a short name
  };
  EntryId EntryOf(FunctionId function, DsoId dso);
  void ConvertNewPaths();

  TraceTables& tables_;
  ChromeTrace& trace_;
  WorkerPool& workers_;
  Budget& budget_;
  StackFunctions functions_;
  PathNumbers paths_;  // the first `converted_` have entries, outermost first
  uint32_t converted_ = 0;
  SkipCounter skip_counter_;
  std::vector<PathNumbers::Path> loaded_;
  std::vector<Entry> entries_;  // by EntryId
  absl::flat_hash_map<std::pair<FunctionId, DsoId>, EntryId> ids_;
  std::vector<EntryId> entry_of_site_;  // by number of PathNumbers
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_STACKS_H_
