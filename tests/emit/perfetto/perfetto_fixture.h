// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_EMIT_PERFETTO_PERFETTO_FIXTURE_H_
#define PERF2X_TESTS_EMIT_PERFETTO_PERFETTO_FIXTURE_H_

#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "converter/emit/emitters.h"
#include "tests/support/perfetto_trace.h"
#include "tests/support/small_trace.h"

namespace perf2x {

class PerfettoTest : public SmallTrace {
 protected:
  PerfettoTest() {
    info_.input = "perf.data";
    info_.arch = "x86_64";
    info_.os_release = "6.1.0-13-amd64";
    info_.clock = "CLOCK_MONOTONIC";
    info_.wall_clock_offset = 1'000'000'000;
    info_.command_line = {"perf", "record"};
  }

  absl::Status Start() { return Begin(PerfettoEmitterInfo()); }
  EventId AddTracepoint(const std::string& system, const std::string& name) {
    const EventId event =
        AddEvent(system + ":" + name, "count", EventKind::kTracepoint);
    tables_.events[event].tracepoint = {system, name};
    return event;
  }
  void Tracepoint(uint64_t time, ThreadId thread, EventId event, Fields fields,
                  int32_t cpu = 0) {
    Sample sample;
    sample.time = time;
    sample.thread = thread;
    sample.event = event;
    sample.cpu = cpu;
    sample.stack = Stack({"sys_read"});
    sample.tracepoint = fields;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }
  void In(uint64_t time, ThreadId thread, int32_t cpu) {
    const Switch event = {
        .time = time, .thread = thread, .cpu = cpu, .state = ""};
    ASSERT_TRUE(emitter().OnSwitch(event).ok());
  }
  void Out(uint64_t time, ThreadId thread, int32_t cpu,
           absl::string_view state) {
    const Switch event = {.time = time,
                          .thread = thread,
                          .cpu = cpu,
                          .out = true,
                          .state = state};
    ASSERT_TRUE(emitter().OnSwitch(event).ok());
  }

  perfetto::protos::Trace Result() {
    EXPECT_TRUE(Finish().ok());
    uint64_t samples = 0;
    EXPECT_EQ(CheckPerfettoTrace(output(), &samples), "");
    perfetto::protos::Trace trace;
    EXPECT_TRUE(ReadPerfettoTrace(output(), &trace));
    return trace;
  }
  // Compares the trace, as text, with a file of tests/emit/expected, which
  // UPDATE_GOLDENS=1 writes.
  void ExpectGolden(const std::string& name) {
    std::string text;
    google::protobuf::TextFormat::PrintToString(Result(), &text);
    const std::string path = "tests/emit/expected/" + name + ".textproto";
    if (std::getenv("UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
    std::ifstream file(path);
    EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
  }
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_EMIT_PERFETTO_PERFETTO_FIXTURE_H_
