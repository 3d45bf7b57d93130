#include "converter/emit/chrome_trace.h"

namespace perf2x {

ChromeTrace::ChromeTrace(Output& out, bool absolute) : json_(out) {
  if (absolute) start_ = 0;
  json_.BeginObject();
  // Perfetto reads this one only at the start of the file.
  json_.Key("displayTimeUnit");
  json_.String("ns");
  json_.Key("traceEvents");
  json_.BeginArray();
}

uint64_t ChromeTrace::Elapsed(uint64_t time) {
  if (!start_.has_value()) start_ = time;
  latest_ = std::max(latest_, time);
  return time < *start_ ? 0 : time - *start_;
}

void ChromeTrace::Begin(absl::string_view name, absl::string_view phase,
                        absl::string_view category, ChromeTrack track) {
  json_.NewLine();
  json_.BeginObject();
  json_.Key("name");
  json_.String(name);
  json_.Key("ph");
  json_.String(phase);
  json_.Key("cat");
  json_.String(category);
  json_.Key("pid");
  json_.Int(track.pid);
  json_.Key("tid");
  json_.Int(track.tid);
}

void ChromeTrace::Time(absl::string_view key, uint64_t ns) {
  json_.Key(key);
  json_.Micros(ns);
}

void ChromeTrace::End(Args args) {
  json_.Key("args");
  json_.BeginObject();
  args(json_);
  json_.EndObject();
  json_.EndObject();
}

void ChromeTrace::Metadata(absl::string_view what, ChromeTrack track,
                           absl::string_view name) {
  Begin(what, "M", "__metadata", track);
  End([name](JsonWriter& json) {
    json.Key("name");
    json.String(name);
  });
}

void ChromeTrace::SortIndex(absl::string_view what, ChromeTrack track,
                            int64_t index) {
  Begin(what, "M", "__metadata", track);
  End([index](JsonWriter& json) {
    json.Key("sort_index");
    json.Int(index);
  });
}

void ChromeTrace::Slice(absl::string_view name, absl::string_view category,
                        ChromeTrack track, uint64_t begin, uint64_t end,
                        Args args) {
  Begin(name, "X", category, track);
  Time("ts", Elapsed(begin));
  Time("dur", Elapsed(end) - Elapsed(begin));
  End(args);
}

void ChromeTrace::AsyncSlice(absl::string_view name, absl::string_view category,
                             ChromeTrack track, uint64_t id, uint64_t begin,
                             uint64_t end, Args args) {
  Begin(name, "b", category, track);
  json_.Key("id");
  json_.Hex(id);
  Time("ts", Elapsed(begin));
  End(args);
  Begin(name, "e", category, track);
  json_.Key("id");
  json_.Hex(id);
  Time("ts", Elapsed(end));
  json_.EndObject();
}

void ChromeTrace::Instant(absl::string_view name, absl::string_view category,
                          ChromeTrack track, uint64_t time, Args args) {
  Begin(name, "i", category, track);
  json_.Key("s");
  json_.String("t");
  Time("ts", Elapsed(time));
  End(args);
}

void ChromeTrace::GlobalInstant(absl::string_view name,
                                absl::string_view category, ChromeTrack track,
                                uint64_t time, Args args) {
  Begin(name, "i", category, track);
  json_.Key("s");
  json_.String("g");
  Time("ts", Elapsed(time));
  End(args);
}

void ChromeTrace::Counter(absl::string_view name, int32_t pid, uint64_t time,
                          absl::string_view unit, double value) {
  Begin(name, "C", "counter", {pid, pid});
  Time("ts", Elapsed(time));
  End([&](JsonWriter& json) {
    json.Key(unit.empty() ? "value" : unit);
    json.Double(value);
  });
}

void ChromeTrace::ThreadState(absl::string_view state, ChromeTrack track,
                              uint64_t begin, uint64_t end, int32_t cpu) {
  // "T" with a duration is Perfetto's, from v54 on. To catapult it is a step of
  // an old-style asynchronous slice, which therefore has to be there: S and F
  // around it make it show the state too. Perfetto leaves those two alone.
  const auto step = [&](absl::string_view phase, uint64_t time) {
    Begin(state, phase, "thread_state", track);
    json_.Key("id");
    json_.Int(track.tid);
    Time("ts", Elapsed(time));
  };
  step("S", begin);
  json_.EndObject();
  step("T", begin);
  Time("dur", Elapsed(end) - Elapsed(begin));
  End([state, cpu](JsonWriter& json) {
    json.Key("step");  // what catapult writes on it
    json.String(state);
    if (cpu >= 0) {
      json.Key("cpu");
      json.Int(cpu);
    }
  });
  step("F", end);
  json_.EndObject();
}

void ChromeTrace::Flow(absl::string_view name, absl::string_view category,
                       ChromeTrack from, uint64_t from_time, ChromeTrack to,
                       uint64_t to_time) {
  const uint64_t id = ++flows_;
  Begin(name, "s", category, from);
  json_.Key("id");
  json_.Uint(id);
  Time("ts", Elapsed(from_time));
  json_.EndObject();
  Begin(name, "f", category, to);
  json_.Key("id");
  json_.Uint(id);
  // Else it would point at the next slice to start after `to_time`.
  json_.Key("bp");
  json_.String("e");
  Time("ts", Elapsed(to_time));
  json_.EndObject();
}

void ChromeTrace::Profile(absl::string_view name, ChromeTrack track,
                          uint64_t id, uint64_t time, Args args) {
  Begin(name, "P", "disabled-by-default-v8.cpu_profiler", track);
  json_.Key("id");
  json_.Hex(id);
  Time("ts", Elapsed(time));
  End([&](JsonWriter& json) {
    json.Key("data");
    json.BeginObject();
    args(json);
    json.EndObject();
  });
}

absl::Status ChromeTrace::Finish(Args rest) {
  json_.NewLine();
  json_.EndArray();
  rest(json_);
  json_.EndObject();
  json_.NewLine();
  return json_.Flush();
}

}  // namespace perf2x
