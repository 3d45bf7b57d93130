// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/emitters.h"
#include "converter/emit/event_names.h"
#include "converter/emit/json_column.h"
#include "converter/emit/number_log.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/used_stacks.h"

namespace perf2x {
namespace {

// The functions of all stacks, inlined ones included, as speedscope's one table
// of frames: a row for each function of each DSO.
class FrameRows {
 public:
  FrameRows(TraceTables& tables, const UsedStacks& stacks)
      : tables_(tables), stacks_(stacks) {
    for (FrameId frame = 0; frame < tables_.frames().size(); ++frame) {
      tables_.PrefetchLines(frame);
      const absl::Span<const Line> lines = tables_.Lines(frame);
      const DsoId dso = tables_.frames()[frame].dso;
      begins_.push_back(static_cast<uint32_t>(rows_of_frames_.size()));
      for (const Line& line : lines) {
        rows_of_frames_.push_back(RowOf(line.function, dso));
      }
    }
    begins_.push_back(static_cast<uint32_t>(rows_of_frames_.size()));
  }

  // Sets `*rows` to the rows of a stack's functions, outermost first; to none
  // if the stack was left out.
  void RowsOf(StackId stack, std::vector<uint32_t>* rows) const {
    rows->clear();
    const StackTree& tree = stacks_.tree();
    for (StackTree::NodeId node = stacks_.NodeOf(stack); node != kNoId;
         node = tree.parent(node)) {
      const FrameId frame = tree.frame(node);
      const uint32_t end = begins_[frame + 1];
      const uint32_t begin = stacks_.is_flat(node) ? end - 1 : begins_[frame];
      rows->insert(rows->end(), rows_of_frames_.begin() + begin,
                   rows_of_frames_.begin() + end);
    }
    std::reverse(rows->begin(), rows->end());
  }

  // Skips rows once the budget is exhausted, as the entries that refer to them
  // are then skipped, too.
  void Write(SkipCounter& skip_counter, JsonWriter& json) const {
    json.Key("frames");
    json.BeginArray();
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (skip_counter.CountIfExhausted(rows_.size() - i)) break;
      const Function& function = tables_.functions()[rows_[i].first];
      json.BeginObject();
      WriteText(json, "name", tables_.strings[function.name]);
      if (function.file != 0) {
        WriteText(json, "file", tables_.strings[function.file]);
        if (function.start_line != 0) {
          WriteNumber(json, "line", function.start_line);
        }
      } else {
        WriteText(json, "file", tables_.dsos()[rows_[i].second].name);
      }
      json.EndObject();
      json.MaybeFlush().IgnoreError();
    }
    json.EndArray();
  }

 private:
  uint32_t RowOf(FunctionId function, DsoId dso) {
    const auto [it, inserted] = ids_.try_emplace(
        std::pair(function, dso), static_cast<uint32_t>(rows_.size()));
    if (inserted) rows_.push_back(it->first);
    return it->second;
  }

  TraceTables& tables_;
  const UsedStacks& stacks_;
  std::vector<uint32_t> begins_;          // by frame, in rows_of_frames_
  std::vector<uint32_t> rows_of_frames_;  // innermost first
  std::vector<std::pair<FunctionId, DsoId>> rows_;
  absl::flat_hash_map<std::pair<FunctionId, DsoId>, uint32_t> ids_;
};

// Writes speedscope's own format: a profile for each event of each thread, in
// the order of their first samples. A profile is a list of stacks with weights,
// the periods, in time order; consecutive samples of one stack are one entry.
// The frames come first, so samples are kept, packed, to the end.
class SpeedscopeEmitter final : public Emitter {
 public:
  SpeedscopeEmitter(const EmitterContext& context,
                    std::unique_ptr<Output> output)
      : tables_(context.tables),
        pipeline_(context.pipeline),
        budget_(context.budget),
        diagnostics_(context.diagnostics),
        output_(std::move(output)),
        event_names_(tables_.events),
        memory_(budget_),
        kept_("sample of the profile", budget_, diagnostics_),
        frames_("function of the profile", budget_, diagnostics_),
        written_("entry of a profile", budget_, diagnostics_) {}

  absl::Status Begin(const TraceInfo& info) override {
    name_ = info.input;
    return absl::OkStatus();
  }

  absl::Status OnSample(const Sample& sample) override {
    if (kept_.CountIfExhausted()) return absl::OkStatus();
    const Thread& thread = tables_.threads[sample.thread];
    const auto [it, inserted] = ids_.try_emplace(
        std::tuple(thread.pid, thread.tid, sample.event), profiles_.size());
    if (inserted) profiles_.emplace_back(&log_memory_);
    Profile& profile = profiles_[it->second];
    profile.thread = sample.thread;
    profile.event = sample.event;
    if (profile.samples++ == 0 || profile.stack != sample.stack ||
        profile.weight > ~sample.period) {
      Flush(profile);
      profile.stack = sample.stack;
      Account();
    }
    profile.weight += sample.period;
    return absl::OkStatus();
  }

  absl::Status Finish(const TraceSummary&) override {
    kept_.Report();
    UsedStacks stacks(tables_, budget_, diagnostics_);
    for (Profile& profile : profiles_) {
      Flush(profile);
      NumberLog::Reader log(profile.log);
      for (uint32_t i = 0; i < profile.entries; ++i) {
        stacks.Use(static_cast<StackId>(log.Next()));
        log.Next();
      }
    }
    stacks.Finish(pipeline_);
    RETURN_IF_ERROR(Write(FrameRows(tables_, stacks)));
    frames_.Report();
    written_.Report();
    return output_->Close();
  }

 private:
  struct Profile {
    explicit Profile(uint64_t* memory) : log(memory) {}
    ThreadId thread = 0;  // under its last name
    EventId event = 0;
    uint64_t samples = 0;
    NumberLog log;  // of each entry: stack and weight
    uint32_t entries = 0;
    // The entry that is not in the log yet.
    StackId stack = kNoId;
    uint64_t weight = 0;
  };

  static void Flush(Profile& profile) {
    if (profile.stack == kNoId || profile.entries == kNoId) return;
    profile.log.Add(profile.stack);
    profile.log.Add(std::exchange(profile.weight, 0));
    ++profile.entries;
  }

  void Account() {
    constexpr uint64_t kStep = 64 << 10;
    const uint64_t held = log_memory_ + profiles_.size() * 4 * sizeof(Profile);
    if (held >= memory_.held() + kStep) memory_.Set(held);
  }

  // The unit of speedscope for the event's periods.
  const char* UnitOf(EventId event) const {
    return tables_.events[event].unit == "nanoseconds" ? "nanoseconds" : "none";
  }

  // Weights are numbers without limit for speedscope.
  static void WriteWeight(uint64_t weight, JsonWriter& json) {
    constexpr uint64_t kMax = uint64_t{1} << 63;
    weight < kMax ? json.Int(static_cast<int64_t>(weight))
                  : json.Double(static_cast<double>(weight));
  }

  void WriteProfile(const Profile& profile, const FrameRows& frames,
                    JsonWriter& json) {
    const Thread& thread = tables_.threads[profile.thread];
    json.BeginObject();
    WriteText(json, "type", "sampled");
    WriteText(json, "name",
              absl::StrCat(tables_.strings[thread.name], " ", thread.tid, " ",
                           event_names_[profile.event]));
    WriteText(json, "unit", UnitOf(profile.event));
    uint64_t written = 0;  // entries
    std::vector<uint32_t> rows;
    NumberLog::Reader stacks(profile.log);
    json.Key("samples");
    json.BeginArray();
    for (; written < profile.entries; ++written) {
      // The outputs charge the budget for each entry.
      if (written_.CountIfExhausted(profile.entries - written)) break;
      frames.RowsOf(static_cast<StackId>(stacks.Next()), &rows);
      stacks.Next();
      json.BeginArray();
      for (const uint32_t row : rows) json.Int(row);
      json.EndArray();
      json.MaybeFlush().IgnoreError();
    }
    json.EndArray();
    NumberLog::Reader weights(profile.log);
    double sum = 0;
    WriteArray(json, "weights", written, [&](size_t) {
      weights.Next();
      const uint64_t weight = weights.Next();
      sum += static_cast<double>(weight);
      WriteWeight(weight, json);
    });
    WriteNumber(json, "startValue", 0);
    json.Key("endValue");
    constexpr double kMaxExact = uint64_t{1} << 53;
    sum < kMaxExact ? json.Int(static_cast<int64_t>(sum)) : json.Double(sum);
    json.EndObject();
  }

  absl::Status Write(const FrameRows& frames) {
    JsonWriter json(*output_);
    json.BeginObject();
    WriteText(json, "$schema",
              "https://www.speedscope.app/file-format-schema.json");
    WriteText(json, "name", name_);
    WriteText(json, "exporter", "perf2x " PERF2X_VERSION);
    json.Key("shared");
    json.BeginObject();
    frames.Write(frames_, json);
    json.EndObject();
    size_t written = 0;  // profiles
    json.Key("profiles");
    json.BeginArray();
    for (const Profile& profile : profiles_) {
      if (written_.CountIfExhausted(profile.entries)) continue;
      WriteProfile(profile, frames, json);
      ++written;
    }
    json.EndArray();
    // The profile with most samples is shown first.
    const auto most = std::max_element(
        profiles_.begin(), profiles_.begin() + static_cast<ptrdiff_t>(written),
        [](const Profile& a, const Profile& b) {
          return a.samples < b.samples;
        });
    WriteNumber(json, "activeProfileIndex",
                written == 0 ? 0 : most - profiles_.begin());
    json.EndObject();
    return json.Flush();
  }

  TraceTables& tables_;
  Pipeline& pipeline_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  const std::unique_ptr<Output> output_;
  std::string name_;
  EventNames event_names_;
  uint64_t log_memory_ = 0;
  std::vector<Profile> profiles_;
  absl::flat_hash_map<std::tuple<int32_t, int32_t, EventId>, size_t> ids_;
  Budget::Share memory_;  // of the profiles
  SkipCounter kept_, frames_, written_;
};

absl::StatusOr<std::unique_ptr<Emitter>> MakeSpeedscope(
    const EmitterContext& context) {
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, context.outputs.Open(""));
  return std::make_unique<SpeedscopeEmitter>(context, std::move(output));
}

}  // namespace

EmitterInfo SpeedscopeEmitterInfo() {
  return {.name = "speedscope",
          .extension = ".speedscope.json",
          .summary = "a profile for speedscope",
          .has_time_line = true,
          .make = MakeSpeedscope,
          .check_merge = [](const auto&) { return absl::OkStatus(); },
          .advice = "drop it on https://www.speedscope.app"};
}

}  // namespace perf2x
