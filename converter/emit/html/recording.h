// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_RECORDING_H_
#define PERF2X_EMIT_HTML_RECORDING_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "converter/emit/html/call_tree.h"
#include "converter/emit/html/sample_log.h"
#include "converter/model/emitter.h"

namespace perf2x {

// The data of one recording that a page shows. A StringId refers to
// CallTree::strings() of the page's tree. `start` and `end` are ns on the
// recording's clock.
struct HtmlRecording {
  static constexpr uint64_t kNoTime = std::numeric_limits<uint64_t>::max();
  // A process under one name: exec begins another one.
  struct Process {
    int32_t pid = 0;
    StringId name = 0;
    uint32_t parent = kNoId;  // index in `processes`; kNoId: not known
  };
  // A thread under one name.
  struct ThreadRow {
    uint32_t process = 0;  // index in `processes`
    int32_t tid = 0;
    StringId name = 0;
    uint64_t start = kNoTime, end = kNoTime;  // kNoTime: not known
  };

  TraceInfo info;
  TraceSummary summary;
  std::vector<Event> events;  // all of the recording
  // Processes that have samples, and their ancestors.
  std::vector<Process> processes;
  std::vector<ThreadRow> threads;  // threads that have samples
  // Distinct combinations of event, thread and CPU. SampleLane::thread is
  // an index in `threads`. SampleLane::event is an index in `events` or, after
  // PageEvents::Add, in PageEvents::events().
  std::vector<SampleLane> lanes;
  // Sums of the samples with the same time bin, lane and place.
  // SampleEntry::place is a node of the tree or, after pruning, a row of the
  // PrunedTree.
  SampleEntries entries;
  // A time bin is `10 ms << bin_shift` wide. Bin 0 begins `origin` bins after
  // time 0 of the recording's clock.
  int bin_shift = 0;
  int64_t origin = 0;

  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    return entries.capacity() * sizeof(entries[0]) +
           lanes.capacity() * sizeof(lanes[0]) +
           threads.capacity() * sizeof(threads[0]) +
           processes.capacity() * sizeof(processes[0]);
  }
};

// The base of a comparison, and the tree that it shares with the page's own
// recording. HtmlEmitter consumes it.
struct HtmlBase final : public ComparisonBase {
  std::shared_ptr<CallTree> tree;
  HtmlRecording recording;
  std::vector<Advice> advice;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_RECORDING_H_
