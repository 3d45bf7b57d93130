// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_STACKS_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_STACKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/emit/left_out.h"
#include "converter/emit/perfetto/id_set.h"
#include "converter/emit/perfetto/perfetto_packets.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes the callstacks of samples, with their frames, functions and files, as
// interned data of the events' sequences. Memory grows with the distinct stacks
// of each event. Not thread-safe.
class PerfettoStacks {
 public:
  PerfettoStacks(const EmitterContext& context, PerfettoPackets& packets);

  // Returns true if a callstack was passed to Write for this event.
  bool IsWritten(EventId event, StackId stack) const {
    return event < sequences_.size() && sequences_[event].seen.Contains(stack);
  }
  // Writes the callstacks of pairs of events and stacks that are not written
  // yet, and symbolizes them together, in a tenth of the time that it takes one
  // by one. The events' sequences must have begun.
  absl::Status Write(absl::Span<const std::pair<EventId, StackId>> stacks);
  // Returns the id of a callstack that was passed to Write; 0: it has none.
  uint64_t IidOf(EventId event, StackId stack) const {
    return sequences_[event].none.Contains(stack) ? 0 : uint64_t{stack} + 1;
  }
  // Reports what was left out. Call it once.
  void Report() const {
    left_out_.Report();
    names_left_out_.Report();
  }

 private:
  // What a sequence has defined.
  struct Sequence {
    IdSet seen;          // stacks
    IdSet none;          // stacks without a callstack
    IdSet entries;       // see first_entry_
    IdSet names, files;  // by StringId
    IdSet dsos;
    uint64_t memory() const {
      return seen.memory() + none.memory() + entries.memory() + names.memory() +
             files.memory() + dsos.memory();
    }
  };

  void WriteStack(EventId event, StackId stack,
                  absl::Span<const FrameId> frames);
  void WriteFrame(Sequence& sequence, FrameId frame, const Line& line,
                  uint32_t entry);
  void WriteMapping(Sequence& sequence, DsoId dso);
  uint64_t NameIid(Sequence& sequence, StringId name);
  uint64_t FileIid(Sequence& sequence, StringId file);
  void WriteString(int field, uint64_t iid, absl::string_view text);
  absl::Status EndPacket(EventId event);

  TraceTables& tables_;
  WorkerPool& workers_;
  Budget& budget_;
  PerfettoPackets& packets_;
  LeftOut left_out_, names_left_out_;
  Budget::Share memory_;
  std::vector<Sequence> sequences_;  // by event
  // The functions at a frame, inlined ones included, are numbered from here on;
  // by FrameId. kNoId: not numbered yet.
  std::vector<uint32_t> first_entry_;
  uint32_t entries_ = 0;  // their number
  ProtoWriter interned_;  // of the packet being made
  ProtoWriter stack_;
  std::string scratch_;
  std::vector<FramePlace> places_;
  std::vector<FrameId> frames_;
  std::vector<size_t> ends_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_STACKS_H_
