// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/gzip_output.h"
#include "converter/base/output.h"
#include "converter/base/status_macros.h"
#include "converter/emit/emitters.h"
#include "converter/emit/pprof/pprof_code.h"
#include "converter/emit/pprof/pprof_labels.h"
#include "converter/emit/pprof/pprof_stack_rows.h"
#include "converter/emit/pprof/pprof_values.h"
#include "converter/emit/pprof/pprof_writer.h"
#include "converter/emit/pprof/spilled_stacks.h"
#include "converter/emit/sample_rows.h"
#include "converter/emit/used_strings.h"
#include "converter/model/branch_bound.h"
#include "converter/model/frame_prefetcher.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;

// Writes pprof's profile.proto, gzip-compressed. Samples are summed by stack
// and labels as they come; everything is written at the end, sample by sample,
// so memory grows with distinct stacks and no message tree is held. Stacks that
// SpillStacks has moved to a file are written from there, with all others.
class PprofEmitter final : public Emitter {
 public:
  PprofEmitter(const EmitterContext& context, LabelSets labels, bool branches)
      : tables_(context.tables),
        outputs_(context.outputs),
        pipeline_(context.pipeline),
        strings_(context.tables.strings),
        labels_(std::move(labels)),
        branches_(branches),
        budget_(context.budget),
        memory_(context.budget),
        label_memory_(context.budget),
        diagnostics_(context.diagnostics),
        rows_(pipeline_),
        of_stack_(rows_) {}

  EmitterRequirements requirements() const override {
    return {.fields = labels_.requires_fields(),
            .branches = branches_,
            .branch_stacks = branches_,
            .only_sums = !branches_ && labels_.depend_only_on_thread_and_tags(),
            .spills = true};
  }
  absl::Status Begin(const TraceInfo& info) override;
  absl::Status OnSample(const Sample& sample) override;
  absl::Status SpillStacks() override;
  absl::Status Finish(const TraceSummary& summary) override;

 private:
  absl::Status WriteSamples();
  void Spill(uint64_t max_frames);
  absl::Status WriteSpilled();
  void AccountLabels();
  void Account(absl::Span<const FrameId> frames, size_t rows);
  template <class Rows>
  absl::Status WriteStack(absl::Span<const FrameId> frames, const Rows& rows);
  uint64_t MaxFrames() const {
    return tables_.frames().size() +
           budget_.left(Budget::kMemory) / kOfNewFrame + 1;
  }
  absl::Status WriteRest(const TraceSummary& summary);
  pb::ValueType ValueType(absl::string_view type, absl::string_view unit);
  void SetValueTypes(pb::Profile* to);
  void SetTimes(const TraceSummary& summary, pb::Profile* to) const;
  void SetComments(const TraceSummary& summary, pb::Profile* to);
  int64_t String(absl::string_view s) { return strings_.IndexOf(s); }

  TraceTables& tables_;
  OutputFactory& outputs_;
  Pipeline& pipeline_;
  TraceInfo info_;
  std::unique_ptr<GzipOutput> output_;
  std::unique_ptr<PprofWriter> writer_;
  UsedStrings strings_;
  LabelSets labels_;
  // If set, the profile is of the samples' branch stacks instead of the
  // samples. Rows then have one of two placeholder events.
  const bool branches_;
  enum BranchRows : EventId { kTaken, kMispredicted };
  Budget& budget_;
  Budget::Share memory_;  // of the frames, which are interned only here
  Budget::Share label_memory_;
  Diagnostics* const diagnostics_;
  SampleRows rows_;
  std::vector<bool> sampled_;             // by event
  std::optional<PprofValues> of_events_;  // absent with branches_

  StackRows of_stack_;                            // of the current stack
  std::unique_ptr<SpilledStacks> spilled_;        // null: none are
  std::vector<SpilledStacks::Row> spilled_rows_;  // of the current stack
  uint64_t skipped_ = 0;                          // samples of the profile
  std::vector<uint64_t> values_;
  // Uncompressed bytes that budget_ does not account for yet, and the number at
  // which it does.
  static constexpr uint64_t kAccountAt = 1 << 16;
  static constexpr uint64_t kOfNewFrame = 96;  // bytes
  uint64_t unpacked_ = 0;
  FrameId newest_ = 0;  // highest frame seen by Account
};

absl::Status PprofEmitter::Begin(const TraceInfo& info) {
  info_ = info;
  ASSIGN_OR_RETURN(std::unique_ptr<Output> file, outputs_.Open(""));
  output_ = std::make_unique<GzipOutput>(std::move(file), pipeline_.helpers());
  writer_ = std::make_unique<PprofWriter>(*output_);
  return absl::OkStatus();
}

absl::Status PprofEmitter::OnSample(const Sample& sample) {
  if (sample.event >= SampleRows::kMaxEvents) {
    return absl::UnimplementedError("more than a million events to pprof");
  }
  const LabelSetId labels = labels_.IdOf(sample, tables_, strings_);
  AccountLabels();
  if (branches_) {
    for (const Branch& branch : sample.branches) {
      if (IsOnlyBound(branch)) continue;
      const AddressSpaceId space = tables_.stacks.address_space(branch.stack);
      rows_.Add({branch.stack, labels, kTaken}, space, branch.cycles);
      if (branch.mispredicted) {
        rows_.Add({branch.stack, labels, kMispredicted}, space, 0);
      }
    }
    return absl::OkStatus();
  }
  if (sample.event >= sampled_.size()) sampled_.resize(sample.event + 1);
  sampled_[sample.event] = true;
  rows_.Add({sample.stack, labels, sample.event}, sample.address_space,
            sample.period);
  return absl::OkStatus();
}

absl::Status PprofEmitter::SpillStacks() {
  Spill(/*max_frames=*/UINT64_MAX);
  return absl::OkStatus();
}

// Moves all stacks and their rows to spilled_.
void PprofEmitter::Spill(uint64_t max_frames) {
  if (spilled_ == nullptr) spilled_ = std::make_unique<SpilledStacks>();
  const uint64_t file_bytes = spilled_->file_bytes();
  rows_.Drain();
  const StackId begin = tables_.stacks.begin();
  FramePrefetcher frame_prefetcher(tables_, FramePrefetcher::Result::kFrames,
                                   begin, std::max(begin, rows_.stacks()),
                                   pipeline_.helpers(), std::nullopt,
                                   max_frames);
  for (StackId stack = begin; stack < rows_.stacks(); ++stack) {
    rows_.Prefetch(stack + kRowsAhead);
    const absl::Span<const FrameId> frames = frame_prefetcher.Next();
    of_stack_.Load(stack);
    spilled_rows_.clear();
    for (size_t i = 0; i < of_stack_.size(); ++i) {
      const SampleRows::Row& row = of_stack_[i];
      spilled_rows_.push_back(
          {row.labels, static_cast<EventId>(row.event), row.count, row.value});
    }
    if (frames.empty()) {
      memory_.Set(max_frames * kOfNewFrame);
      for (size_t i = 0; i < of_stack_.size(); i = of_stack_.EndOfLabels(i)) {
        ++skipped_;
      }
    } else if (!spilled_rows_.empty()) {
      spilled_->Add(frames, spilled_rows_);
    }
  }
  budget_.Spend(Budget::kOutput, spilled_->file_bytes() - file_bytes);
  rows_.FreeAll();
}

// Accounts for the label sets, each with one row. With labels such as the time,
// every sample has a set of its own.
void PprofEmitter::AccountLabels() {
  constexpr uint64_t kAccountAtBytes = 64 << 10;
  const uint64_t memory = labels_.memory();
  if (memory >= label_memory_.held() + kAccountAtBytes) {
    label_memory_.Set(memory);
  }
}

absl::Status PprofEmitter::Finish(const TraceSummary& summary) {
  rows_.Finish();
  tables_.stacks.DropIndex();
  if (!branches_) of_events_.emplace(tables_.events, sampled_);
  RETURN_IF_ERROR(spilled_ == nullptr ? WriteSamples() : WriteSpilled());
  CountSkippedForBudget("sample of the profile", budget_.exhausted_name(),
                        skipped_, diagnostics_);
  // Stacks are no longer needed: frees their memory for symbols.
  rows_.Clear();
  tables_.DropStacks();
  tables_.SymbolizeAllFrames(pipeline_.workers());
  RETURN_IF_ERROR(
      WritePprofCode(summary.main_dso, tables_, strings_, *writer_));
  RETURN_IF_ERROR(WriteRest(summary));
  RETURN_IF_ERROR(writer_->Flush());
  return output_->Close();
}

absl::Status PprofEmitter::WriteSamples() {
  const bool all = !rows_.AnyHasSeveralAddressSpaces();
  std::vector<bool> left;  // stacks that have rows
  if (!all) left = SumEqualStacks(tables_, pipeline_.helpers(), rows_);

  const uint64_t most_frames = MaxFrames();
  FramePrefetcher frame_prefetcher(tables_, FramePrefetcher::Result::kFrames, 0,
                                   rows_.stacks(), pipeline_.helpers(),
                                   all ? std::nullopt : std::optional(left),
                                   most_frames);
  for (StackId stack = 0; stack < rows_.stacks(); ++stack) {
    rows_.Prefetch(stack + kRowsAhead);
    rows_.FreeBelow(stack);
    tables_.stacks.FreeBelow(stack);
    if (!all && !left[stack]) continue;
    const absl::Span<const FrameId> frames = frame_prefetcher.Next();
    of_stack_.Load(stack);
    if (of_stack_.empty()) continue;
    if (frames.empty()) memory_.Set(most_frames * kOfNewFrame);
    RETURN_IF_ERROR(WriteStack(frames, of_stack_));
  }
  return absl::OkStatus();
}

absl::Status PprofEmitter::WriteSpilled() {
  Spill(MaxFrames());
  tables_.stacks = StackTable();
  if (!spilled_->status().ok() && diagnostics_ != nullptr) {
    diagnostics_->Add(Diagnostics::Severity::kNote,
                      absl::StrCat("--max-memory was exceeded: ",
                                   spilled_->status().message()));
  }
  RETURN_IF_ERROR(
      spilled_->Read([this](absl::Span<const FrameId> frames,
                            absl::Span<const SpilledStacks::Row> rows) {
        return WriteStack(frames, rows);
      }));
  spilled_ = nullptr;
  return absl::OkStatus();
}

// Accounts for a stack. Each of its samples has a value for every event, and
// some uncompressed bytes for each frame. New frames take memory; frame ids
// ascend in the order in which frames are interned, maybe by another thread.
void PprofEmitter::Account(absl::Span<const FrameId> frames, size_t rows) {
  constexpr uint64_t kOfFrame = 4;
  const uint64_t values = branches_ ? 3 : of_events_->size();
  unpacked_ += rows * (values + kOfFrame * frames.size());
  if (unpacked_ < kAccountAt) return;
  budget_.Spend(Budget::kOutput, std::exchange(unpacked_, 0));
  // Checks one stack in many: the frames of the others are about as new.
  for (const FrameId frame : frames) newest_ = std::max(newest_, frame);
  memory_.Set(std::max(memory_.held(), newest_ * kOfNewFrame));
}

// Writes the rows of a stack, which are ordered by labels. Those with the same
// labels are one sample.
template <class Rows>
absl::Status PprofEmitter::WriteStack(absl::Span<const FrameId> frames,
                                      const Rows& rows) {
  Account(frames, rows.size());
  const bool skips = budget_.exhausted();
  if (!skips) writer_->SetFrames(frames);
  for (size_t i = 0; i < rows.size();) {
    const LabelSetId labels = rows[i].labels;
    values_.assign(branches_ ? 3 : of_events_->size(), 0);
    for (; i < rows.size() && rows[i].labels == labels; ++i) {
      const auto& row = rows[i];
      if (branches_) {
        values_[row.event] = row.count;
        if (row.event == kTaken) values_[2] = row.value;
        continue;
      }
      of_events_->Add(static_cast<EventId>(row.event), row.count, row.value,
                      absl::MakeSpan(values_));
    }
    if (skips) {
      ++skipped_;
    } else {
      RETURN_IF_ERROR(writer_->Sample(values_, labels_.encoded(labels)));
    }
  }
  return absl::OkStatus();
}

pb::ValueType PprofEmitter::ValueType(absl::string_view type,
                                      absl::string_view unit) {
  pb::ValueType out;
  out.set_type(String(type));
  out.set_unit(String(unit));
  return out;
}

// Sets the types of a sample's values, the type to show first, and the period.
void PprofEmitter::SetValueTypes(pb::Profile* to) {
  if (branches_) {
    // Branches are not sampled themselves, so they have no period.
    for (const char* type : {"branches", "mispredicted", "cycles"}) {
      *to->add_sample_type() = ValueType(type, "count");
    }
    to->set_default_sample_type(String("branches"));
    return;
  }
  if (of_events_->types().empty()) {
    *to->add_sample_type() = ValueType("samples", "count");
    return;
  }
  for (const PprofValues::Type& type : of_events_->types()) {
    if (type.has_samples) {
      *to->add_sample_type() =
          ValueType(absl::StrCat(type.name, "_samples"), "count");
    }
    *to->add_sample_type() =
        ValueType(type.name, tables_.events[type.event].unit);
  }
  const PprofValues::Type& type = of_events_->default_type();
  const Event& event = tables_.events[type.event];
  to->set_default_sample_type(String(type.name));
  *to->mutable_period_type() = ValueType(type.name, event.unit);
  if (!event.period_is_frequency) {
    to->set_period(static_cast<int64_t>(event.period));
  } else if (event.unit == "nanoseconds" && event.period != 0) {
    to->set_period(static_cast<int64_t>(1'000'000'000 / event.period));
  }
}

void PprofEmitter::SetTimes(const TraceSummary& summary,
                            pb::Profile* to) const {
  if (!summary.first_time.has_value() || !summary.last_time.has_value()) return;
  if (info_.wall_clock_offset.has_value()) {
    // Unsigned, because the times of a damaged recording may overflow.
    to->set_time_nanos(static_cast<int64_t>(
        *summary.first_time + static_cast<uint64_t>(*info_.wall_clock_offset)));
  }
  to->set_duration_nanos(
      static_cast<int64_t>(*summary.last_time - *summary.first_time));
}

void PprofEmitter::SetComments(const TraceSummary& summary, pb::Profile* to) {
  const auto comment = [&](absl::string_view what, absl::string_view text) {
    if (text.empty()) return;
    to->add_comment(String(absl::StrCat(what, text)));
  };
  comment("command: ", absl::StrJoin(info_.command_line, " "));
  comment("host: ", info_.hostname);
  comment("kernel: ",
          absl::StrCat(info_.os_release, info_.os_release.empty() ? "" : " ",
                       info_.arch));
  comment("cpu: ", info_.cpu_description);
  comment("perf: ", info_.perf_version);
  for (const std::string& loss : summary.losses) comment("", loss);
}

// Writes all fields but samples and code. Must come last, because the string
// table must be complete.
absl::Status PprofEmitter::WriteRest(const TraceSummary& summary) {
  pb::Profile profile;
  SetValueTypes(&profile);
  SetTimes(summary, &profile);
  SetComments(summary, &profile);
  RETURN_IF_ERROR(writer_->Fields(profile));
  for (size_t i = 0; i < strings_.size(); ++i) {
    RETURN_IF_ERROR(writer_->String(strings_[i]));
  }
  return absl::OkStatus();
}

absl::Span<const EmitterOption> Options() {
  static const auto& kLabelsHelp = *new std::string(
      absl::StrCat("labels of samples: none, or some of ", LabelSets::Names()));
  static const EmitterOption kOptions[] = {
      {"labels", "LIST", kLabelsHelp.c_str(),
       "process,pid,thread,tid,state,waker,parallelism"},
      {"branches", "",
       "the branches that samples recorded instead of their stacks: where each "
       "led to, called by where it came from",
       ""},
  };
  return kOptions;
}

absl::StatusOr<std::unique_ptr<Emitter>> MakePprof(
    const EmitterContext& context) {
  ASSIGN_OR_RETURN(LabelSets labels,
                   LabelSets::Parse(context.options.at("labels")));
  return std::make_unique<PprofEmitter>(
      context, std::move(labels), context.options.at("branches") == "true");
}

}  // namespace

EmitterInfo PprofEmitterInfo() {
  static constexpr const char* kViewers[] = {"pprof -http=localhost:",
                                             "go tool pprof -http=localhost:"};
  return {.name = "pprof",
          .extension = ".pb.gz",
          .summary = "pprof's profile.proto, gzip-compressed",
          .options = Options(),
          .make = MakePprof,
          .check =
              [](const auto& options) {
                return LabelSets::Parse(options.at("labels")).status();
              },
          .check_merge =
              [](const auto& options) {
                return options.at("branches") == "true"
                           ? absl::InvalidArgumentError(
                                 "--branches is for one recording; leave "
                                 "--merge or --branches out")
                           : absl::OkStatus();
              },
          .is_profile = true,
          .viewers = kViewers,
          .advice =
              "install pprof with `go install "
              "github.com/google/pprof@latest`"};
}

}  // namespace perf2x
