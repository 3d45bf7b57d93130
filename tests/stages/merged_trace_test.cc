// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/merged_trace.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "converter/model/event_names.h"

namespace perf2x {
namespace {

// Names every address after the recording that it belongs to.
class NamedAfter final : public Symbolizer {
 public:
  NamedAfter(std::string name, bool trusts_paths)
      : name_(std::move(name)), trusts_paths_(trusts_paths) {}
  void Resolve(const Dso&, absl::Span<const uint64_t> addresses,
               Found found) override {
    Symbol symbol;
    symbol.name = symbol.system_name = name_;
    for (size_t i = 0; i < addresses.size(); ++i) found(i, {&symbol, 1});
  }
  bool trusts_paths() const override { return trusts_paths_; }

 private:
  const std::string name_;
  const bool trusts_paths_;
};

// A recording with one sample, in `dso`.
class OneSample final : public FrameSource {
 public:
  explicit OneSample(const Dso& dso) {
    tables_.set_frame_source(this);
    tables_.events.resize(1);
    tables_.threads.push_back({});
    tables_.AddDso(dso);
    tables_.AddMapping({.dso = 0, .start = 0x1000, .limit = 0x2000});
  }
  TraceTables& tables() { return tables_; }
  void AppendPlaces(StackId, FramePlaces* places) override {
    places->push_back({FrameTable::HashOf(0, 0x10), 0x10, 0, 0});
  }

 private:
  TraceTables tables_;
};

class Stacks final : public Emitter {
 public:
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    stacks.push_back(sample.stack);
    events.push_back(sample.event);
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }
  std::vector<StackId> stacks;
  std::vector<EventId> events;
};

// The names that two recordings of `dso` have, merged.
std::vector<std::string> MergedNames(const Dso& dso,
                                     std::array<bool, 2> trusts_paths) {
  MergedTrace all;
  Stacks stacks;
  std::vector<std::unique_ptr<NamedAfter>> symbolizers;
  std::vector<std::unique_ptr<OneSample>> recordings;
  TraceSummary summary;
  for (const bool trusts : trusts_paths) {
    recordings.push_back(std::make_unique<OneSample>(dso));
    symbolizers.push_back(std::make_unique<NamedAfter>(
        symbolizers.empty() ? "first" : "second", trusts));
    all.AddEvents(recordings.back()->tables().events);
    const auto source =
        all.EmitterFor(recordings.back()->tables(), stacks, &summary);
    all.SetSymbolizer([kept = symbolizers.back().get()] { return kept; });
    EXPECT_TRUE(source->OnSample(Sample()).ok());
  }
  std::vector<std::string> names;
  for (const StackId stack : stacks.stacks) {
    std::vector<FrameId> frames;
    all.tables().FramesOf(stack, &frames);
    const Line line = all.tables().Lines(frames.at(0))[0];
    names.emplace_back(
        all.tables().strings[all.tables().functions()[line.function].name]);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(MergedProfileTest, RecordingsThatAreTrustedAlikeShareFiles) {
  Dso dso;
  dso.kind = DsoKind::kFile;
  dso.name = "/bin/program";
  for (const bool trusts : {false, true}) {
    EXPECT_EQ(MergedNames(dso, {trusts, trusts}), (Names{"first", "first"}));
  }
}

// Only one of the two is shown to be of this machine, where the path leads to a
// file: the other must not get names out of it, nor keep the first from it.
TEST(MergedProfileTest, WithoutABuildIdTrustIsNotLent) {
  Dso dso;
  dso.kind = DsoKind::kFile;
  dso.name = "/bin/program";
  EXPECT_EQ(MergedNames(dso, {true, false}), (Names{"first", "second"}));
  EXPECT_EQ(MergedNames(dso, {false, true}), (Names{"first", "second"}));
  dso.kind = DsoKind::kVdso;
  EXPECT_EQ(MergedNames(dso, {true, false}), (Names{"first", "second"}));
}

TEST(MergedProfileTest, ABuildIdProvesTheFileToAll) {
  Dso dso;
  dso.kind = DsoKind::kFile;
  dso.name = "/bin/program";
  dso.build_id = BuildId(std::vector<uint8_t>(20, 7));
  EXPECT_EQ(MergedNames(dso, {true, false}), (Names{"first", "first"}));
}

TEST(MergedProfileTest, EventsOfOneNameStayApartAndAreMatchedByNumber) {
  std::vector<Event> two(2);
  two[0].name = two[1].name = "cycles";
  const std::vector<Event> one(1, two[0]);
  MergedTrace all;
  all.AddEvents(one);
  all.AddEvents(two);
  all.AddEvents(two);
  EXPECT_EQ(DistinctEventNames(all.tables().events),
            (Names{"cycles", "cycles#2"}));
  OneSample recording{Dso()};
  recording.tables().events = two;
  Stacks samples;
  TraceSummary summary;
  const auto source = all.EmitterFor(recording.tables(), samples, &summary);
  for (const EventId event : {1, 0}) {
    Sample sample;
    sample.event = event;
    ASSERT_TRUE(source->OnSample(sample).ok());
  }
  EXPECT_EQ(samples.events, (std::vector<EventId>{1, 0}));
}

}  // namespace
}  // namespace perf2x
