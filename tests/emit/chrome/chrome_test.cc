#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "converter/emit/emitters.h"
#include "tests/support/frame_places.h"

namespace perf2x {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMs = 1'000'000;

class Memory : public Output {
 public:
  explicit Memory(std::string* to) : to_(to) {}
  absl::Status Write(absl::string_view bytes) override {
    to_->append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  std::string* to_;
};

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
    file_ = tables_.AddFile(file);
    mapping_ = tables_.AddMapping({file_, 0x1000, 0x9000, 0});
  }

  void AppendPlaces(StackId stack, std::vector<FramePlace>* places) override {
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
    return std::make_unique<Memory>(&json_);
  }

  EventId AddEvent(Event event) {
    tables_.events.push_back(std::move(event));
    return static_cast<EventId>(tables_.events.size() - 1);
  }
  EventId AddClock(uint64_t period = kMs) {
    return AddEvent(
        {.name = "cpu-clock", .unit = "nanoseconds", .period = period});
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
      frames.insert(frames.begin(), tables_.InternFrame(file_, mapping_, at));
    }
    stacks_.push_back(frames);
    return static_cast<StackId>(stacks_.size() - 1);
  }

  absl::Status Start() {
    static const EmitterInfo& info = *new EmitterInfo(ChromeEmitterInfo());
    for (const EmitterOption& option : info.options) {
      options_.try_emplace(option.name, option.preset);
    }
    auto emitter = info.make({tables_, *this, options_, 1});
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
    Switch event;
    event.time = time;
    event.thread = thread;
    event.cpu = cpu;
    ASSERT_TRUE(emitter_->OnSwitch(event).ok());
  }
  void Out(uint64_t time, ThreadId thread, int32_t cpu, absl::string_view state,
           bool preempted = false, StackId stack = kNoId) {
    Switch event;
    event.stack = stack;
    event.time = time;
    event.thread = thread;
    event.cpu = cpu;
    event.out = true;
    event.state = state;
    event.preempted = preempted;
    ASSERT_TRUE(emitter_->OnSwitch(event).ok());
  }
  void Wake(uint64_t time, ThreadId woken, int32_t cpu) {
    Wakeup event;
    event.time = time;
    event.woken = woken;
    event.cpu = cpu;
    ASSERT_TRUE(emitter_->OnWakeup(event).ok());
  }
  std::string Finish() {
    EXPECT_TRUE(emitter_->Finish({}).ok());
    return json_;
  }

  // The states of a thread, "begin+duration name" in microseconds.
  static std::string StatesOf(int32_t tid, const std::string& json) {
    std::vector<std::string> states;
    const std::string thread = absl::StrCat("\"tid\":", tid, ",");
    for (absl::string_view line : absl::StrSplit(json, '\n')) {
      if (!absl::StrContains(line, "\"ph\":\"T\"") ||
          !absl::StrContains(line, thread)) {
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
      states.push_back(absl::StrCat(number("\"ts\":"), "+", number("\"dur\":"),
                                    " ", quoted.at(3)));
    }
    return absl::StrJoin(states, ", ");
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
  std::unique_ptr<Emitter> emitter_;
  std::string json_;
  DsoId file_;
  MappingId mapping_;
  std::vector<std::string> names_;
  std::vector<std::vector<FrameId>> stacks_;
};

TEST_F(ChromeTest, NestsSlicesAndClosesThemAtGapsAndSwitches) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  const StackId abc = Stack({"main", "run", "leaf"});
  const StackId abd = Stack({"main", "run", "other"});
  const StackId a_only = Stack({"main"});
  At(100 * kMs, a, clock, abc);
  At(101 * kMs, a, clock, abc);
  At(101 * kMs + 500, b, clock, a_only);
  At(102 * kMs, a, clock, abd);
  At(103 * kMs, a, clock, a_only);
  // Ten milliseconds of silence are not a slice of ten milliseconds.
  At(113 * kMs, a, clock, a_only);
  Out(113 * kMs + 250'125, a, 1, "S");
  ExpectGolden("chrome_slices");
}

TEST_F(ChromeTest, NestsSlicesThatEndWithTheSampleThatEndedOthers) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  At(1 * kMs, a, clock, Stack({"main", "run", "leaf"}));
  At(2 * kMs, a, clock, Stack({"main", "run", "other"}));
  const std::string json = Finish();
  // Each begins within the one around it: chrome://tracing nests no others.
  EXPECT_THAT(json, HasSubstr("\"leaf\",\"ph\":\"X\",\"pid\":10,\"tid\":10,"
                              "\"cat\":\"cpu-clock,/bin/app\","
                              "\"ts\":0.002,\"dur\":999.997"));
  // Three slices end behind it, each within the next.
  EXPECT_THAT(json, HasSubstr("\"ts\":0.001,\"dur\":1000.00"));
  EXPECT_THAT(json, HasSubstr("\"ts\":0.000,\"dur\":1000.00"));
}

TEST_F(ChromeTest, ShowsStatesCpusWakeupsAndMigrations) {
  const ThreadId idle = AddThread(0, 0, "swapper");
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  Out(1 * kMs, idle, 0, "R");
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "D");
  In(2 * kMs, idle, 1);
  Wake(3 * kMs, b, 0);
  Wake(3 * kMs + 1, b, 0);  // woken already
  Out(4 * kMs, idle, 1, "R");
  In(4 * kMs, b, 1);
  Out(5 * kMs, a, 0, "R+");
  In(5 * kMs, idle, 0);
  Out(6 * kMs, b, 1, "S");
  In(6 * kMs, a, 1);
  Wake(7 * kMs, b, 0);  // by an interrupt on an idle CPU: no arrow
  ExpectGolden("chrome_sched");
}

TEST_F(ChromeTest, HasNoArrowsFromOrToWhatIsNotShown) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "S");
  Wake(3 * kMs, b, 0);
  In(4 * kMs, b, 1);
  Out(5 * kMs, b, 1, "S");
  Wake(6 * kMs, b, 0);
  In(7 * kMs, b, 1);  // to the end of the recording
  Out(8 * kMs, a, 0, "S");
  const std::string json = Finish();
  EXPECT_THAT(json,
              HasSubstr("\"wakeup\",\"ph\":\"s\",\"cat\":\"sched\",\"pid\":"
                        "10000000,\"tid\":10000000,\"id\":1,\"ts\":2000.000"));
  EXPECT_THAT(json, Not(HasSubstr("\"id\":2,")));
}

TEST_F(ChromeTest, EndsRunningAtExitWhereNoTracepointDoes) {
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, a, 0, "", /*preempted=*/true);
  In(3 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({7 * kMs, a}).ok());
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"R+\",\"ph\":\"T\""));
  EXPECT_THAT(json, HasSubstr("\"ts\":2000.000,\"dur\":4000.000"));
}

// As `perf record -a --switch-events` has it: the switch-out after the exit is
// the last that is heard of a thread.
TEST_F(ChromeTest, ThreadRunsUntilItsLastSwitchOutAndThenIsGone) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(11, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  Out(3 * kMs, a, 0, "", /*preempted=*/true);
  In(4 * kMs, a, 0);
  Out(6 * kMs, a, 0, "");
  In(6 * kMs, b, 0);
  Out(20 * kMs, b, 0, "");
  const std::string json = Finish();
  EXPECT_EQ(StatesOf(10, json),
            "0+2000 Running, 2000+1000 R+, 3000+2000 Running");
  EXPECT_EQ(StatesOf(11, json), "5000+14000 Running, 19000+0 S");
}

// Of threads that are reaped at once, the kernel no longer knows the number.
TEST_F(ChromeTest, LastSwitchOutOfAThreadMayBeOfNoNumber) {
  const ThreadId a = AddThread(10, 12, "a"), gone = AddThread(-1, -1, "?");
  const ThreadId b = AddThread(10, 13, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  In(1 * kMs, b, 1);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  Out(3 * kMs, gone, 0, "");
  Out(9 * kMs, b, 1, "");
  const std::string json = Finish();
  EXPECT_EQ(StatesOf(12, json), "0+2000 Running");
  EXPECT_EQ(StatesOf(30000000, json), "");
  EXPECT_EQ(StatesOf(13, json), "0+8000 Running, 8000+0 S");
}

TEST_F(ChromeTest, NumberOfAThreadThatIsGoneIsUsedAgain) {
  const ThreadId parent = AddThread(9, 9, "sh"), a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  Out(3 * kMs, a, 0, "");
  ASSERT_TRUE(emitter_->OnFork({5 * kMs, parent, a}).ok());
  In(6 * kMs, a, 0);
  Out(7 * kMs, a, 0, "");
  In(8 * kMs, a, 0);
  Out(9 * kMs, a, 0, "");
  EXPECT_EQ(StatesOf(10, Finish()),
            "0+2000 Running, 5000+1000 Running, 6000+1000 S, "
            "7000+1000 Running, 8000+0 S");
}

// Also where the recording has no fork that says so.
TEST_F(ChromeTest, AThreadThatIsGoneDoesNotSleepUntilItsNumberIsUsedAgain) {
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  Out(3 * kMs, a, 0, "");
  In(6 * kMs, a, 0);
  Out(7 * kMs, a, 0, "");
  EXPECT_EQ(StatesOf(10, Finish()),
            "0+2000 Running, 5000+1000 Running, 6000+0 S");
}

TEST_F(ChromeTest, NamesAProcessOnceByItsLastName) {
  const ThreadId before = AddThread(10, 10, "sh");
  const ThreadId after = AddThread(10, 10, "ls");
  tables_.threads[after].process_name = tables_.strings.Intern("ls");
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(emitter_->OnThread(before, 1 * kMs).ok());
  ASSERT_TRUE(emitter_->OnThread(after, 2 * kMs).ok());
  const std::string json = Finish();
  const size_t at = json.find("\"process_name\"");
  ASSERT_NE(at, json.npos);
  EXPECT_EQ(json.find("\"process_name\"", at + 1), json.npos);
  EXPECT_EQ(json.substr(at).find("{\"name\":\"ls\"}"),
            json.substr(at).find("{\"name\""));
}

// speedscope takes args for a part of the name.
TEST_F(ChromeTest, SlicesHaveNoArgs) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  At(2 * kMs, a, clock, Stack({"main"}));
  Out(3 * kMs, a, 0, "");
  const std::string json = Finish();
  int slices = 0;
  for (absl::string_view line : absl::StrSplit(json, '\n')) {
    if (!absl::StrContains(line, "\"ph\":\"X\"")) continue;
    ++slices;
    EXPECT_FALSE(absl::StrContains(line, "args")) << line;
  }
  EXPECT_EQ(slices, 2);
  EXPECT_THAT(json, HasSubstr("{\"name\":\"main\",\"ph\":\"X\",\"pid\":10,"
                              "\"tid\":10,\"cat\":\"cpu-clock,/bin/app\","
                              "\"ts\":"));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"a 10\",\"ph\":\"X\","));
}

TEST_F(ChromeTest, DoesNotKnowWhoRanWhereRecordsWereLost) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "S");
  ASSERT_TRUE(emitter_->OnLost({3 * kMs, 5, false, 0}).ok());
  Out(4 * kMs, a, 0, "S");
  In(5 * kMs, b, 1);
  const std::string json = Finish();
  EXPECT_THAT(json, Not(HasSubstr("Running")));
  // b may have run between its two states.
  EXPECT_THAT(json, Not(HasSubstr("\"ts\":1000.000")));
}

TEST_F(ChromeTest, ShowsTracepointsWithTypedArgsAndPairsSyscalls) {
  const EventId enter =
      AddEvent({.name = "raw_syscalls:sys_enter", .tracepoint = true});
  const EventId exit =
      AddEvent({.name = "raw_syscalls:sys_exit", .tracepoint = true});
  const EventId probe = AddEvent({.name = "probe:f", .tracepoint = true});
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const Field enter_fields[] = {{"id", int64_t{0}}, {"args", "[0x3, 0x7ff0]"}};
  const Field exit_fields[] = {{"id", int64_t{0}}, {"ret", int64_t{-11}}};
  const Field probe_fields[] = {{"__probe_ip", Field::Hex{0xffff8000}},
                                {"n", uint64_t{5}},
                                {"max", ~uint64_t{0}},
                                {"x", 0.5},
                                {"s", "caf\xc3\xa9 \xff\x01\"\\"}};
  Tracepoint(1 * kMs, a, enter, enter_fields);
  Tracepoint(1 * kMs + 10, a, probe, probe_fields);
  Tracepoint(2 * kMs, a, exit, exit_fields);
  Tracepoint(3 * kMs, a, exit, exit_fields);  // without its beginning
  ExpectGolden("chrome_tracepoints");
}

TEST_F(ChromeTest, WritesProfilesWithIdleTime) {
  options_["samples"] = "profile";
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const StackId abc = Stack({"main", "run"});
  At(1 * kMs, a, clock, abc);
  At(2 * kMs, a, clock, Stack({"main"}));
  At(12 * kMs, a, clock, abc);
  ExpectGolden("chrome_profile");
}

TEST_F(ChromeTest, ShowsWhatElseHappens) {
  const EventId clock = AddClock(), other = AddEvent({.name = "page-faults"});
  const ThreadId a = AddThread(10, 10, "a");
  const ThreadId renamed = AddThread(10, 10, "worker");
  const ThreadId child = AddThread(12, 12, "a");
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(emitter_->OnThread(a, std::nullopt).ok());
  ASSERT_TRUE(emitter_->OnThread(renamed, 1 * kMs).ok());
  ASSERT_TRUE(emitter_->OnFork({2 * kMs, renamed, child}).ok());
  At(3 * kMs, renamed, other, Stack({"main", "touch"}));
  ASSERT_TRUE(emitter_->OnThrottle({4 * kMs, clock, 1, true}).ok());
  ASSERT_TRUE(emitter_->OnThrottle({5 * kMs, clock, 1, false}).ok());
  ASSERT_TRUE(emitter_->OnLost({6 * kMs, 17, false, 1}).ok());
  ASSERT_TRUE(emitter_->OnLost({6 * kMs, 3, true, -1}).ok());
  ASSERT_TRUE(emitter_->OnExec({6 * kMs, child}).ok());
  ASSERT_TRUE(emitter_->OnAuxGap({7 * kMs, a, 1, "truncated"}).ok());
  ASSERT_TRUE(emitter_->OnExit({9 * kMs, child}).ok());
  ExpectGolden("chrome_rest");
}

TEST_F(ChromeTest, ShowsLossesOfNoKnownCpuOnTheThreadThatRan) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(emitter_->OnThrottle({1 * kMs, clock, -1, true, a}).ok());
  ASSERT_TRUE(emitter_->OnThrottle({2 * kMs, clock, -1, true, b}).ok());
  ASSERT_TRUE(emitter_->OnThrottle({3 * kMs, clock, -1, false, b}).ok());
  ASSERT_TRUE(emitter_->OnThrottle({4 * kMs, clock, -1, false, a}).ok());
  ASSERT_TRUE(emitter_->OnLost({5 * kMs, 17, false, -1, b}).ok());
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"pid\":10,\"tid\":11,\"id\":\"0xb\","
                              "\"ts\":1000.000,"));
  EXPECT_THAT(json, HasSubstr("\"pid\":10,\"tid\":10,\"id\":\"0xa\","
                              "\"ts\":0.000,"));
  EXPECT_THAT(json, HasSubstr("\"lost records\",\"ph\":\"i\",\"cat\":\"loss\","
                              "\"pid\":10,\"tid\":11"));
  EXPECT_THAT(json, Not(HasSubstr("CPU")));
}

TEST_F(ChromeTest, ShowsCountersForAsLongAsTheyCounted) {
  const EventId energy = AddEvent({.name = "power/energy-pkg/"});
  tables_.events[energy].counter_unit = "Joules";
  const EventId faults = AddEvent({.name = "page-faults"});
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const auto count = [this](const Counter& counter) {
    ASSERT_TRUE(emitter_->OnCounter(counter).ok());
  };
  count({0, 5 * kMs, energy, kNoId, 2, 1.5});
  count({5 * kMs, 9 * kMs, energy, kNoId, 2, 0.25});
  // Since when is not known: from the start on. Then with a gap.
  count({std::nullopt, 6 * kMs, faults, a, -1, 50});
  count({7 * kMs, 8 * kMs, faults, a, -1, 3});
  ExpectGolden("chrome_counters");
}

TEST_F(ChromeTest, SaysWhatAThreadWaitedIn) {
  Dso kernel;
  kernel.kind = DsoKind::kKernel;
  kernel.name = "[kernel.kallsyms]";
  const DsoId program = std::exchange(file_, tables_.AddFile(kernel));
  const StackId futex = Stack({"do_futex", "futex_wait_queue", "schedule",
                               "__schedule", "__traceiter_sched_switch"});
  file_ = program;
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  Out(1 * kMs, a, 0, "S", /*preempted=*/false, futex);
  In(2 * kMs, a, 0);
  Out(3 * kMs, a, 0, "R+", /*preempted=*/true, futex);  // it did not wait
  In(4 * kMs, a, 0);
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"step\":\"S\","
                              "\"blocked_function\":\"futex_wait_queue\""));
  EXPECT_THAT(json, HasSubstr("{\"step\":\"R+\"}"));
}

TEST_F(ChromeTest, DoesNotKnowWhoRanBetweenSampledSwitches) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Switch out;
  out.time = 5 * kMs;
  out.thread = a;
  out.cpu = 0;
  out.out = out.after_gap = true;
  out.state = "S";
  ASSERT_TRUE(emitter_->OnSwitch(out).ok());
  In(5 * kMs, b, 0);
  Out(6 * kMs, b, 0, "S");
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":4000.000,\"dur\":1000.000,"
                              "\"args\":{\"step\":\"Running\",\"cpu\":0}"));
  EXPECT_THAT(json, Not(HasSubstr("\"ts\":0.000,\"dur\"")));
}

TEST_F(ChromeTest, ShowsWhichCgroupAThreadIsIn) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  Sample sample;
  sample.event = clock;
  sample.thread = a;
  sample.stack = Stack({"main"});
  for (int i = 1; i <= 3; ++i) {
    const Field cgroup[] = {{"cgroup", i < 3 ? "/a" : "/b"}};
    sample.time = i * kMs;
    sample.fields = cgroup;
    ASSERT_TRUE(emitter_->OnSample(sample).ok());
  }
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":0.000,\"args\":{\"path\":\"/a\"}"));
  EXPECT_THAT(json, HasSubstr("\"ts\":2000.000,\"args\":{\"path\":\"/b\"}"));
  EXPECT_THAT(json, Not(HasSubstr("\"ts\":1000.000,\"args\":{\"path\"")));
}

TEST_F(ChromeTest, PlacesOffCpuTimeWhereItWasOrOnARowOfItsOwn) {
  const EventId clock = AddClock();
  const EventId off = AddEvent({.name = "offcpu-time", .unit = "nanoseconds"});
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const StackId sleep = Stack({"main", "sleep"});
  At(1 * kMs, a, clock, Stack({"main"}));
  Sample sample;
  sample.event = off;
  sample.thread = a;
  sample.stack = sleep;
  sample.time = 9 * kMs;
  sample.period = 7 * kMs;
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  sample.time = 0xffffffff00000000;
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  ExpectGolden("chrome_offcpu");
}

TEST_F(ChromeTest, KeepsTheClockOnRequest) {
  options_["absolute-time"] = "true";
  options_["samples"] = "instants";
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  At(1'234'567'890'123'456, a, clock, Stack({"main"}));
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":1234567890123.456"));
  EXPECT_THAT(json, HasSubstr("\"start_ns\":\"0\""));
}

TEST_F(ChromeTest, LaysOutSamplesWithoutTimesInTheirOrder) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  Sample sample;
  sample.event = clock;
  sample.thread = a;
  sample.period = kMs;
  sample.stack = Stack({"one"});
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  sample.stack = Stack({"two"});
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":0.000,\"dur\":999.999"));
  EXPECT_THAT(json, HasSubstr("\"ts\":1000.000,\"dur\":999.999"));
}

TEST_F(ChromeTest, ChoosesTheEventThatDrivesSlices) {
  AddEvent({.name = "dummy:HG"});
  AddClock();
  const EventId faults = AddEvent({.name = "page-faults"});
  const ThreadId a = AddThread(10, 10, "a");
  tables_.events[faults].named = 1;
  tables_.events[1].named = 2;
  ASSERT_TRUE(Start().ok());
  At(1 * kMs, a, faults, Stack({"main"}));
  At(2 * kMs, a, 1, Stack({"main"}));
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ph\":\"X\",\"pid\":10,\"tid\":10,"
                              "\"cat\":\"page-faults,"));
  EXPECT_THAT(json, HasSubstr("\"ph\":\"i\",\"cat\":\"cpu-clock\""));
}

TEST_F(ChromeTest, RefusesWhatItDoesNotKnow) {
  AddClock();
  options_["samples"] = "bars";
  EXPECT_THAT(std::string(Start().message()), HasSubstr("bars"));
}

TEST_F(ChromeTest, WritesNothingOfSamplesOnRequest) {
  options_["samples"] = "none";
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  At(1 * kMs, a, clock, Stack({"main"}));
  EXPECT_THAT(Finish(), Not(HasSubstr("\"ph\":\"X\"")));
}

}  // namespace
}  // namespace perf2x
