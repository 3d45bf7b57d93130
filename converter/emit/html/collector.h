// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_COLLECTOR_H_
#define PERF2X_EMIT_HTML_COLLECTOR_H_

#include <cstdint>
#include <vector>

#include "converter/emit/html/call_tree.h"
#include "converter/emit/html/recording.h"
#include "converter/emit/html/sample_log.h"
#include "converter/emit/html/thread_rows.h"
#include "converter/emit/skip_counter.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Collects the data of a recording for a page. Memory grows with distinct
// stacks, and with samples up to SampleLog's limit; it is charged to the
// budget. Once the budget is exhausted, skips further samples and counts them
// in the diagnostics. Not thread-safe.
class HtmlCollector {
 public:
  // The objects that `context` refers to must outlive this.
  explicit HtmlCollector(const EmitterContext& context);

  // Keeps `info` for the result.
  void Begin(const TraceInfo& info) { recording_.info = info; }
  // Adds a sample. Must not be called after Finish.
  void OnSample(const Sample& sample) {
    if (skip_counter_.CountIfExhausted()) return;
    log_.Add(sample);
  }
  // The caller calls OnThread, OnFork and OnExit of the result.
  ThreadRows& threads() { return threads_; }
  // Adds the recording's stacks, functions and DSOs to `tree`, symbolized.
  // Returns the samples, events, info and `summary`; also the threads with
  // samples, their processes, and all ancestors of these processes. Ids of
  // strings and nodes in the result refer to `tree`.
  //
  // Frees the stacks of the tables (TraceTables::DropStacks). Once the budget
  // is exhausted, skips stacks and frames, and counts them in the diagnostics.
  // To be called once, last.
  HtmlRecording Finish(const TraceSummary& summary, CallTree& tree);

 private:
  void FindFrames(StackFrames* found);
  void NumberThreads(CallTree& tree);
  uint32_t ProcessRow(uint32_t row, CallTree& tree,
                      std::vector<uint32_t>* rows);

  TraceTables& tables_;
  Pipeline& pipeline_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  SampleLog log_;
  ThreadRows threads_;
  Budget::Share frame_memory_;
  SkipCounter skip_counter_;
  HtmlRecording recording_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_COLLECTOR_H_
