// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_EMIT_CHROME_CHROME_FIXTURE_H_
#define PERF2X_TESTS_EMIT_CHROME_CHROME_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "converter/emit/emitters.h"
#include "tests/emit/times.h"
#include "tests/support/frame_places.h"

namespace perf2x {

// Stacks are spelled out; a frame is a function's name.
class ChromeTest : public ::testing::Test,
                   public FrameSource,
                   public Symbolizer,
                   public OutputFactory {
 protected:
  ChromeTest() : tables_(this) {
    tables_.set_frame_source(this);
    Dso file;
    file.kind = DsoKind::kFile;
    file.name = "/bin/app";
    file_ = tables_.AddDso(file);
    mapping_ = tables_.AddMapping({file_, 0x1000, 0x9000, 0});
  }

  void AppendPlaces(StackId stack, FramePlaces* places) override {
    AppendPlacesOf(stacks_[stack], tables_, places);
  }
  void Resolve(const Dso&, absl::Span<const uint64_t> addresses,
               Found found) override {
    for (size_t i = 0; i < addresses.size(); ++i) {
      Symbol symbol;
      symbol.name = symbol.system_name = names_[addresses[i]];
      if (symbol.name == "main") symbol.file = "/src/main.c";
      found(i, {&symbol, 1});
    }
  }
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return MakeStringOutput(&json_);
  }

  EventId AddEvent(Event event) {
    tables_.events.push_back(std::move(event));
    return static_cast<EventId>(tables_.events.size() - 1);
  }
  static Event TracepointEvent(const std::string& system,
                               const std::string& name) {
    return {.name = absl::StrCat(system, ":", name),
            .kind = EventKind::kTracepoint,
            .tracepoint = {system, name}};
  }
  EventId AddClock(uint64_t period = kMs) {
    return AddEvent({.name = "cpu-clock",
                     .kind = EventKind::kClock,
                     .unit = "nanoseconds",
                     .period = period});
  }
  ThreadId AddThread(int32_t pid, int32_t tid, absl::string_view name) {
    tables_.threads.push_back({pid, tid, tables_.strings.Intern("app"),
                               tables_.strings.Intern(name)});
    return static_cast<ThreadId>(tables_.threads.size() - 1);
  }
  // Functions from the outermost in.
  StackId Stack(std::vector<std::string> functions) {
    std::vector<FrameId> frames;
    for (const std::string& name : functions) {
      size_t at = 0;
      while (at < names_.size() && names_[at] != name) ++at;
      if (at == names_.size()) names_.push_back(name);
      frames.insert(frames.begin(), InternFrame(file_, mapping_, at, tables_));
    }
    stacks_.push_back(frames);
    return static_cast<StackId>(stacks_.size() - 1);
  }

  // Sets the budget of the emitter. To be called before Start.
  Budget& Limit(const Budget::Rules& rules = Budget::kRules) {
    budget_ = &limited_.emplace(rules);
    return *limited_;
  }
  absl::Status Start() {
    static const EmitterInfo& info = *new EmitterInfo(ChromeEmitterInfo());
    for (const EmitterOption& option : info.options) {
      options_.try_emplace(option.name, option.default_value);
    }
    auto emitter =
        info.make({tables_, *this, options_, pipeline_, nullptr, *budget_});
    if (!emitter.ok()) return emitter.status();
    emitter_ = *std::move(emitter);
    TraceInfo about;
    about.input = "perf.data";
    about.arch = "x86_64";
    about.clock = "CLOCK_MONOTONIC";
    about.wall_clock_offset = 1'000'000'000;
    about.command_line = {"perf", "record"};
    return emitter_->Begin(about);
  }
  void At(uint64_t time, ThreadId thread, EventId event, StackId stack) {
    Sample sample;
    sample.time = time;
    sample.thread = thread;
    sample.event = event;
    sample.stack = stack;
    sample.period = kMs;
    sample.cpu = 1;
    sample.ip = 0x1234;
    ASSERT_TRUE(emitter_->OnSample(sample).ok());
  }
  void Tracepoint(uint64_t time, ThreadId thread, EventId event,
                  Fields fields) {
    Sample sample;
    sample.time = time;
    sample.thread = thread;
    sample.event = event;
    sample.stack = Stack({"trace"});
    sample.tracepoint = fields;
    ASSERT_TRUE(emitter_->OnSample(sample).ok());
  }
  void In(uint64_t time, ThreadId thread, int32_t cpu) {
    const Switch event = {
        .time = time, .thread = thread, .cpu = cpu, .state = ""};
    ASSERT_TRUE(emitter_->OnSwitch(event).ok());
  }
  void Out(uint64_t time, ThreadId thread, int32_t cpu, absl::string_view state,
           bool preempted = false, StackId stack = kNoId) {
    const Switch event = {.time = time,
                          .thread = thread,
                          .cpu = cpu,
                          .out = true,
                          .preempted = preempted,
                          .state = state,
                          .stack = stack};
    ASSERT_TRUE(emitter_->OnSwitch(event).ok());
  }
  void Wake(uint64_t time, ThreadId woken, int32_t cpu) {
    const Wakeup event = {.time = time, .woken = woken, .cpu = cpu};
    ASSERT_TRUE(emitter_->OnWakeup(event).ok());
  }
  std::string Finish() {
    EXPECT_TRUE(emitter_->Finish({}).ok());
    return json_;
  }

  // The states of a thread, as text of EventsOf.
  static std::string StatesOf(int32_t tid, const std::string& json) {
    return EventsOf('T', tid, json);
  }
  // The events of a phase on a row, in the order of the file: "begin+duration
  // name", in microseconds.
  static std::string EventsOf(char phase, int32_t tid,
                              const std::string& json) {
    std::vector<std::string> events;
    const std::string row = absl::StrCat("\"tid\":", tid, ",");
    const std::string kind = {'"', 'p', 'h', '"', ':', '"', phase, '"'};
    for (absl::string_view line : absl::StrSplit(json, '\n')) {
      if (!absl::StrContains(line, kind) || !absl::StrContains(line, row)) {
        continue;
      }
      const auto number = [&](absl::string_view key) {
        double value = -1;
        const absl::string_view rest =
            line.substr(std::min(line.find(key) + key.size(), line.size()));
        EXPECT_TRUE(
            absl::SimpleAtod(rest.substr(0, rest.find_first_of(",}")), &value));
        return value;
      };
      const std::vector<absl::string_view> quoted = absl::StrSplit(line, '"');
      events.push_back(absl::StrCat(number("\"ts\":"), "+", number("\"dur\":"),
                                    " ", quoted.at(3)));
    }
    return absl::StrJoin(events, ", ");
  }

  // Compares with tests/emit/expected/NAME.json; writes that with
  // UPDATE_GOLDENS=1.
  void ExpectGolden(const std::string& name) {
    const std::string json = Finish();
    const std::string path =
        absl::StrCat("tests/emit/expected/", name, ".json");
    if (std::getenv("UPDATE_GOLDENS") != nullptr) {
      std::ofstream(path, std::ios::binary) << json;
    }
    std::ifstream in(path, std::ios::binary);
    ASSERT_TRUE(in.good()) << path;
    EXPECT_EQ(json, std::string(std::istreambuf_iterator<char>(in), {}));
  }

  TraceTables tables_;
  std::map<std::string, std::string> options_;
  Pipeline pipeline_{1};
  std::optional<Budget> limited_;
  Budget* budget_ = &Budget::Unlimited();
  std::unique_ptr<Emitter> emitter_;
  std::string json_;
  DsoId file_;
  MappingId mapping_;
  std::vector<std::string> names_;
  std::vector<std::vector<FrameId>> stacks_;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_EMIT_CHROME_CHROME_FIXTURE_H_
