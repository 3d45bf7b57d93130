// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_COLLECTOR_H_
#define PERF2X_EMIT_HTML_COLLECTOR_H_

#include <cstdint>
#include <vector>

#include "converter/emit/html/call_tree.h"
#include "converter/emit/html/recording.h"
#include "converter/emit/html/sample_log.h"
#include "converter/emit/html/thread_rows.h"
#include "converter/emit/left_out.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Collects the data of a recording for a page. Memory grows with distinct
// stacks, and with samples up to SampleLog's limit; it is charged to the
// budget. Once that is exhausted, further samples are skipped and counted in
// the diagnostics. Not thread-safe.
class HtmlCollector {
 public:
  // The objects that `context` refers to must outlive this.
  explicit HtmlCollector(const EmitterContext& context);

  void Begin(const TraceInfo& info) { recording_.info = info; }
  void OnSample(const Sample& sample) {
    if (left_out_.Skips()) return;
    log_.Add(sample);
  }
  // The caller passes OnThread, OnFork and OnExit of the recording to this.
  ThreadRows& threads() { return threads_; }
  // Adds the recording's stacks, functions and DSOs to `tree`, symbolized.
  // Returns everything else: samples, threads, processes, events, info and
  // `summary`. Strings and nodes in the result are those of `tree`. Frees the
  // stacks of the tables (TraceTables::DropStacks). To be called once, last. If
  // the budget is exhausted, samples lose frames or their whole stack; the
  // diagnostics count the skipped stacks and frames.
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
  LeftOut left_out_;
  HtmlRecording recording_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_COLLECTOR_H_
