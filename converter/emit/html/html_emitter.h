// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_HTML_EMITTER_H_
#define PERF2X_EMIT_HTML_HTML_EMITTER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/emit/html/call_tree.h"
#include "converter/emit/html/collector.h"
#include "converter/emit/html/columns.h"
#include "converter/emit/html/recording.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Collects a recording. Finish moves the data to recording() and tree(), and
// charges their memory to the budget. Derived classes use the data in OnAdvice,
// which is called after Finish. Finish drops the stacks of `context.tables`:
// they must not be looked up afterwards.
class HtmlRecordingEmitter : public Emitter {
 public:
  // Finish adds the recording's stacks to `tree`, which may have the stacks of
  // the recording to compare with already.
  HtmlRecordingEmitter(const EmitterContext& context,
                       std::shared_ptr<CallTree> tree)
      : tree_(std::move(tree)),
        collector_(std::in_place, context),
        memory_(context.budget) {}

  // These pass the event to the collector. They never fail.
  absl::Status Begin(const TraceInfo& info) override {
    collector_->Begin(info);
    return absl::OkStatus();
  }
  absl::Status OnSample(const Sample& sample) override {
    collector_->OnSample(sample);
    return absl::OkStatus();
  }
  absl::Status OnThread(ThreadId id, std::optional<uint64_t> time) override {
    collector_->threads().OnThread(id, time);
    return absl::OkStatus();
  }
  absl::Status OnFork(const Fork& fork) override {
    collector_->threads().OnFork(fork);
    return absl::OkStatus();
  }
  absl::Status OnExit(const Exit& exit) override {
    collector_->threads().OnExit(exit);
    return absl::OkStatus();
  }
  // Moves the collected data to recording() and tree().
  absl::Status Finish(const TraceSummary& summary) override {
    recording_ = collector_->Finish(summary, *tree_);
    collector_.reset();
    memory_.Set(tree_->memory() + recording_.memory());
    return absl::OkStatus();
  }

 protected:
  // Filled by Finish.
  HtmlRecording& recording() { return recording_; }
  const std::shared_ptr<CallTree>& tree() const { return tree_; }

 private:
  const std::shared_ptr<CallTree> tree_;
  std::optional<HtmlCollector> collector_;
  HtmlRecording recording_;
  Budget::Share memory_;
};

// Keeps a recording for HtmlEmitter to compare with. Writes nothing.
class HtmlBaseEmitter final : public HtmlRecordingEmitter {
 public:
  // OnAdvice sets `*kept` to an HtmlBase with the recording, its tree and its
  // advice. `kept` must outlive this.
  HtmlBaseEmitter(const EmitterContext& context,
                  std::shared_ptr<ComparisonBase>* kept);
  // Sets `*kept`. Writes nothing.
  absl::Status OnAdvice(absl::Span<const Advice> advice) override;

 private:
  std::shared_ptr<ComparisonBase>* const kept_;
};

// Writes a page that shows a recording, see docs/html.md.
class HtmlEmitter final : public HtmlRecordingEmitter {
 public:
  // The target size of a page's data in bytes: compressed, before base64. A
  // page with a large call tree may exceed it.
  static constexpr uint64_t kDataSize = 3'500'000;

  // `context.base` must be null or an HtmlBase. This emitter consumes the base:
  // no other may use it.
  explicit HtmlEmitter(const EmitterContext& context);
  // Opens the output.
  absl::Status Begin(const TraceInfo& info) override;
  // Writes the page and closes the output.
  absl::Status OnAdvice(absl::Span<const Advice> advice) override;

 private:
  HtmlEmitter(const EmitterContext& context, std::shared_ptr<HtmlBase> base);
  absl::Status Write(const std::string& title, const ColumnBlock& profile,
                     const std::vector<ColumnBlock>& blocks);

  OutputFactory& outputs_;
  Pipeline& pipeline_;
  Budget& budget_;
  const std::shared_ptr<HtmlBase> base_;  // null: nothing to compare with
  Budget::Share base_memory_;
  std::unique_ptr<Output> output_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_HTML_EMITTER_H_
