// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_STACKS_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_STACKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/emit/perfetto/id_set.h"
#include "converter/emit/perfetto/perfetto_packets.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/stack_functions.h"
#include "converter/emit/stack_tree.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes the callstacks of samples, with their frames, functions and files, as
// interned data of the sequences of their events. Memory grows with the
// distinct stacks of each event and is charged to the budget. Once the budget
// is exhausted, skips further callstacks and function names of 1 KiB or more.
// Counts both for Report. Not thread-safe.
class PerfettoStacks {
 public:
  // The objects in `context` and `packets` must outlive this.
  PerfettoStacks(const EmitterContext& context, PerfettoPackets& packets);

  // Returns true if this is the first call for the event and stack: they must
  // then be passed to Write, once.
  bool Claim(EventId event, StackId stack) {
    if (event >= sequences_.size()) sequences_.resize(size_t{event} + 1);
    return sequences_[event].claimed.Insert(stack);
  }
  // Writes the callstacks of `stacks`, which were claimed. Symbolizes them
  // together, which is much faster than one by one. Stacks of one event should
  // be adjacent, which gives fewer packets. The events' sequences must have
  // begun. Returns the errors of the output.
  absl::Status Write(absl::Span<const std::pair<EventId, StackId>> stacks);
  // Returns the id (callstack_iid) of a stack that was passed to Write.
  // Returns 0 if the stack was skipped. Also returns 0 for the single frame of
  // a tracepoint that was recorded without a stack.
  uint64_t IidOf(EventId event, StackId stack) const {
    return sequences_[event].none.Contains(stack)
               ? 0
               : uint64_t{callstack_of_[stack]} + 1;
  }
  // Adds the numbers of skipped callstacks and names to the diagnostics. To be
  // called once, after the last Write.
  void Report() const {
    functions_.Report();
    skipped_stacks_.Report();
    skipped_names_.Report();
  }

 private:
  // The things that a sequence has defined.
  struct Sequence {
    IdSet claimed;       // stacks
    IdSet none;          // stacks without a callstack
    IdSet callstacks;    // leaves in callstacks_
    IdSet entries;       // indexes in entries_
    IdSet names, files;  // by StringId
    IdSet dsos;
    uint64_t memory() const {
      return claimed.memory() + none.memory() + callstacks.memory() +
             entries.memory() + names.memory() + files.memory() + dsos.memory();
    }
  };
  // A frame of the trace: a line of a function.
  struct Entry {
    Line line;
    DsoId dso = 0;
    uint64_t address = 0;  // the first that was seen
  };
  using EntryKey = std::tuple<FunctionId, uint32_t, DsoId>;

  // The entries of a frame's lines, in entry_ids_.
  struct FrameEntries {
    uint32_t first = 0, count = 0;  // 0: not there yet
  };

  // Writes the stack of frames_[begin] up to frames_[end].
  void WriteStack(EventId event, StackId stack, size_t begin, size_t end);
  FrameEntries EntriesOf(FrameId frame) {
    const FrameEntries known = entries_of_[frame];
    return known.count != 0 ? known : AddEntries(frame);
  }
  FrameEntries AddEntries(FrameId frame);
  // Writes the callstack that is in path_.
  void WriteCallstack(Sequence& sequence, StackTree::NodeId leaf);
  void WriteFrame(Sequence& sequence, uint32_t entry);
  void WriteMapping(DsoId dso);
  uint64_t NameIid(Sequence& sequence, StringId name);
  uint64_t FileIid(Sequence& sequence, StringId file);
  void WriteString(int field, uint64_t iid, absl::string_view text);
  absl::Status EndPacket(EventId event);
  void Account();

  TraceTables& tables_;
  WorkerPool& workers_;
  Budget& budget_;
  PerfettoPackets& packets_;
  StackFunctions functions_;
  SkipCounter skipped_stacks_, skipped_names_;
  Budget::Share memory_;
  std::vector<Sequence> sequences_;  // by event
  // Addresses with the same function, line and DSO share an entry: readers need
  // microseconds for each frame and each callstack of a process.
  std::vector<Entry> entries_;
  absl::flat_hash_map<EntryKey, uint32_t> ids_;
  // The entries of all frames, inlined functions included.
  std::vector<uint32_t> entry_ids_;
  std::vector<FrameEntries> entries_of_;  // by FrameId
  // Callstacks of entries; by StackId, the leaf. kNoId: not there yet.
  StackTree callstacks_;
  size_t accounted_ = 0;  // callstacks_ at the last Account
  std::vector<StackTree::NodeId> callstack_of_;
  std::vector<uint32_t> path_;  // entries of one callstack, leaf first
  ProtoWriter interned_;        // of the packet being made
  ProtoWriter stack_;
  std::string scratch_;
  FramePlaces places_;
  std::vector<FrameId> frames_;
  std::vector<size_t> ends_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_STACKS_H_
