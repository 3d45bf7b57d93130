#ifndef PERF2X_EMIT_CHROME_CHROME_STACKS_H_
#define PERF2X_EMIT_CHROME_CHROME_STACKS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/json_writer.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Dense numbers of the functions on stacks; the same function in two files is
// two of them.
using EntryId = uint32_t;

// Gives stacks as the functions in them, inlined ones too, outermost first.
class ChromeStacks {
 public:
  // Names code on up to `threads` threads.
  ChromeStacks(TraceTables& tables, ChromeTrace& trace, int threads)
      : tables_(tables), trace_(trace), threads_(threads) {}

  // Valid until the next call.
  absl::Span<const EntryId> Of(StackId stack);
  // The same for many stacks, whose frames are named together; that takes a
  // tenth of the time of naming them one by one. Loaded(i) is that of
  // stacks[i], valid until the next Load.
  void Load(absl::Span<const StackId> stacks);
  absl::Span<const EntryId> Loaded(size_t i) const {
    const uint32_t begin = i == 0 ? 0 : loaded_ends_[i - 1];
    return {loaded_.data() + begin, loaded_ends_[i] - begin};
  }

  absl::string_view Name(EntryId entry) const {
    return tables_.strings[tables_.functions()[entries_[entry].function].name];
  }
  // Its source file; where that is not known, the file of its code.
  absl::string_view Place(EntryId entry) const;
  // The function's slices.
  const SliceText* Text(EntryId entry) const { return entries_[entry].text; }
  // The function of the kernel that gave the CPU away, at the top of the stack
  // but for the scheduler's own; empty when there is none or its name is not
  // known.
  absl::string_view BlockedIn(StackId stack);
  // "stack": the functions' names, innermost first.
  void WriteStack(StackId stack, JsonWriter& json);

 private:
  struct Entry {
    FunctionId function;
    DsoId file;
    const SliceText* text;
  };
  struct Range {
    uint32_t first = 0;
    uint32_t count = 0;  // 0: not asked for yet
  };
  EntryId EntryOf(FunctionId function, DsoId file);
  // Appends the entries of a stack with these frames, leaf first.
  void Append(absl::Span<const FrameId> frames, std::vector<EntryId>* entries);

  TraceTables& tables_;
  ChromeTrace& trace_;
  const int threads_;
  std::vector<FramePlace> places_;
  std::vector<FrameId> frames_;
  std::vector<EntryId> of_;            // what Of gave
  std::vector<EntryId> loaded_;        // one stack after another
  std::vector<uint32_t> loaded_ends_;  // of each, in loaded_
  std::vector<Entry> entries_;         // by EntryId
  absl::flat_hash_map<std::pair<FunctionId, DsoId>, EntryId> ids_;
  std::vector<Range> ranges_;           // by frame, in frame_entries_
  std::vector<EntryId> frame_entries_;  // of a frame, outermost first
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_STACKS_H_
