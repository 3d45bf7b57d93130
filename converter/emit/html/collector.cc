// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/collector.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "converter/model/frame_prefetcher.h"

namespace perf2x {

HtmlCollector::HtmlCollector(const EmitterContext& context)
    : tables_(context.tables),
      pipeline_(context.pipeline),
      budget_(context.budget),
      diagnostics_(context.diagnostics),
      log_(context.budget),
      threads_(context.tables),
      frame_memory_(context.budget),
      skip_counter_("sample of the page", context.budget, context.diagnostics) {
}

// Finds the frames of the stacks that have samples, and charges them.
void HtmlCollector::FindFrames(StackFrames* found) {
  const size_t stacks = tables_.stacks.size();
  std::vector<bool> wanted(stacks);
  log_.ForEachStack([&](StackId stack) { wanted[stack] = true; });
  constexpr uint64_t kOfFrame = 160, kAccountAt = 64 << 10;
  const uint64_t max_frames =
      tables_.frames().size() + budget_.left(Budget::kMemory) / kOfFrame + 1;
  FramePrefetcher prefetcher(tables_, FramePrefetcher::Result::kFrames, 0,
                             stacks, pipeline_.helpers(), wanted, max_frames);
  SkipCounter skip_counter("stack of the page", budget_, diagnostics_);
  for (StackId stack = 0; stack < stacks; ++stack) {
    tables_.stacks.FreeBelow(stack);
    if (!wanted[stack]) continue;
    const absl::Span<const FrameId> frames = prefetcher.Next();
    uint64_t newest = frames.empty() ? max_frames : 0;
    for (const FrameId frame : frames) newest = std::max(newest, frame + 1ul);
    if (newest * kOfFrame > frame_memory_.held() + kAccountAt) {
      frame_memory_.Set(newest * kOfFrame);
    }
    if (!skip_counter.CountIfExhausted()) found->Add({stack, frames});
  }
  skip_counter.Report();
}

HtmlRecording HtmlCollector::Finish(const TraceSummary& summary,
                                    CallTree& tree) {
  skip_counter_.Report();
  tables_.stacks.DropIndex();
  {
    std::vector<CallTree::NodeId> node_of(tables_.stacks.size(),
                                          CallTree::kRoot);
    StackFrames stacks(budget_);
    FindFrames(&stacks);
    tables_.DropStacks();
    tables_.SymbolizeAllFrames(pipeline_.workers());
    uint64_t skipped = 0;
    tree.Add(&stacks, tables_, budget_, &node_of, &skipped);
    CountSkippedForBudget("frame of the page", budget_.exhausted_name(),
                          skipped, diagnostics_);
    log_.Finish(node_of);
  }
  if (log_.uncounted() > 0 && diagnostics_ != nullptr) {
    diagnostics_->Add(Diagnostics::Severity::kSkipped,
                      "sample of the page beyond the largest count",
                      /*offset=*/0, /*bytes=*/0, log_.uncounted());
  }
  recording_.summary = summary;
  recording_.events = tables_.events;
  recording_.entries = std::move(log_.entries());
  recording_.lanes = log_.lanes();
  recording_.bin_shift = log_.shift();
  recording_.origin = log_.origin();
  NumberThreads(tree);
  return std::move(recording_);
}

// Returns the number of a process that has samples or is an ancestor of one.
uint32_t HtmlCollector::ProcessRow(uint32_t row, CallTree& tree,
                                   std::vector<uint32_t>* rows) {
  auto& out = recording_.processes;
  const auto first = static_cast<uint32_t>(out.size());
  const uint32_t result = (*rows)[row] != kNoId ? (*rows)[row] : first;
  uint32_t child = kNoId;
  while (row != kNoId) {
    const bool known = (*rows)[row] != kNoId;
    if (!known) {
      const ThreadRows::Process& process = threads_.processes()[row];
      (*rows)[row] = static_cast<uint32_t>(out.size());
      out.push_back(
          {process.pid, tree.InternText(tables_.strings[process.name]), kNoId});
    }
    // The parents of a damaged recording may form a circle.
    const bool circular = known && (*rows)[row] >= first;
    if (child != kNoId && !circular) out[child].parent = (*rows)[row];
    if (known) break;
    child = (*rows)[row];
    row = threads_.processes()[row].parent;
  }
  return result;
}

// Numbers the threads that have samples anew.
void HtmlCollector::NumberThreads(CallTree& tree) {
  std::vector<uint32_t> threads(tables_.threads.size(), kNoId);
  for (const SampleLane& lane : recording_.lanes) threads[lane.thread] = 0;
  // Makes all processes known.
  for (ThreadId id = 0; id < threads.size(); ++id) threads_.life(id);
  std::vector<uint32_t> processes(threads_.processes().size(), kNoId);
  for (ThreadId id = 0; id < threads.size(); ++id) {
    if (threads[id] == kNoId) continue;
    threads[id] = static_cast<uint32_t>(recording_.threads.size());
    const ThreadRows::Life& life = threads_.life(id);
    const Thread& thread = tables_.threads[id];
    recording_.threads.push_back({ProcessRow(life.process, tree, &processes),
                                  thread.tid,
                                  tree.InternText(tables_.strings[thread.name]),
                                  life.start.value_or(HtmlRecording::kNoTime),
                                  life.end.value_or(HtmlRecording::kNoTime)});
  }
  for (SampleLane& lane : recording_.lanes) lane.thread = threads[lane.thread];
}

}  // namespace perf2x
