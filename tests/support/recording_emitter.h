// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_RECORDING_EMITTER_H_
#define PERF2X_TESTS_SUPPORT_RECORDING_EMITTER_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_order.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes down each call as a line of text, such as "exit sh @5": threads by
// name, times after "@". Absent values are omitted.
class RecordingEmitter final : public Emitter {
 public:
  explicit RecordingEmitter(const TraceTables& tables,
                            EmitterRequirements requirements = {})
      : tables_(tables), requirements_(requirements) {}

  // Returns the lines since the last call.
  std::vector<std::string> Take() { return std::exchange(lines_, {}); }
  // Returns the callchain of the last sample, as recorded words.
  std::vector<uint64_t> last_callchain() const {
    std::vector<uint64_t> room, words;
    const auto bytes = tables_.stacks.callchain(last_stack_, &room);
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      words.push_back(Load<uint64_t>(&bytes[at], kHostOrder));
    }
    return words;
  }

  EmitterRequirements requirements() const override { return requirements_; }
  absl::Status Begin(const TraceInfo& info) override {
    return Add("begin ", info.input);
  }
  absl::Status OnSample(const Sample& s) override {
    last_stack_ = s.stack;
    std::string extra;
    for (const Field& field : s.fields) {
      absl::StrAppend(&extra, " ", field.name);
      if (field.name == "id") {
        absl::StrAppend(&extra, "=", std::get<uint64_t>(field.value));
      }
    }
    if (!s.branches.empty()) {
      absl::StrAppend(&extra, " branches=", s.branches.size());
    }
    if (s.access != nullptr) {
      absl::StrAppend(&extra, " access#", s.access->number, "=",
                      absl::Hex(s.access->address),
                      s.access->access.load    ? " load"
                      : s.access->access.store ? " store"
                                               : "",
                      " weight=", s.access->weight);
    }
    return Add("sample ", tables_.events[s.event].name, " ", Name(s.thread),
               " period=", s.period, extra, At(s.time));
  }
  absl::Status Finish(const TraceSummary&) override { return Add("finish"); }
  absl::Status OnThread(ThreadId id, std::optional<uint64_t> time) override {
    return Add("thread ", tables_.threads[id].pid, "/", tables_.threads[id].tid,
               " ", Name(id), At(time));
  }
  absl::Status OnFork(const Fork& e) override {
    return Add("fork ", Name(e.parent), " ", Name(e.child), At(e.time));
  }
  absl::Status OnExec(const Exec& e) override {
    return Add("exec ", Name(e.thread), At(e.time));
  }
  absl::Status OnExit(const Exit& e) override {
    return Add("exit ", Name(e.thread), At(e.time));
  }
  absl::Status OnMap(const MapEvent& e) override {
    return Add("map ", Name(e.thread), tables_.dsos()[e.dso].name, " ",
               absl::Hex(e.start), "+", absl::Hex(e.length), " ",
               absl::Hex(e.offset), At(e.time));
  }
  absl::Status OnSwitch(const Switch& e) override {
    return Add(e.out ? "out " : "in ", Name(e.thread), " cpu=", e.cpu,
               e.preempted ? " preempted" : "", e.state.empty() ? "" : " ",
               e.state, e.other == kNoId ? "" : " other=", Name(e.other),
               At(e.time));
  }
  absl::Status OnWakeup(const Wakeup& e) override {
    return Add("wakeup ", Name(e.waker), " ", Name(e.woken),
               " target=", e.target_cpu, At(e.time));
  }
  absl::Status OnCall(const Call& e) override {
    return Add("call ", Name(e.thread), " depth=", e.depth,
               e.function == kNoId ? "" : " begins", At(e.time));
  }
  absl::Status OnCounter(const Counter& e) override {
    return Add("counter ", tables_.events[e.event].name, " ", Name(e.thread),
               "cpu=", e.cpu, " ", e.value, At(e.time));
  }
  absl::Status OnLost(const Lost& e) override {
    return Add("lost ", e.count, e.is_samples ? " samples" : " records",
               " cpu=", e.cpu, At(e.time));
  }
  absl::Status OnAuxGap(const AuxGap& e) override {
    return Add("aux gap ", Name(e.thread), " ", e.reason, At(e.time));
  }
  absl::Status OnThrottle(const Throttle& e) override {
    return Add(e.begin ? "throttle " : "unthrottle ",
               e.event == kNoId ? "?" : tables_.events[e.event].name,
               At(e.time));
  }
  absl::Status OnRecord(const RecordEvent& e) override {
    std::string fields;
    for (const Field& f : e.fields) absl::StrAppend(&fields, " ", f.name);
    return Add("record ", e.type, " pid=", e.pid, fields, At(e.time));
  }

 private:
  template <class... Parts>
  absl::Status Add(const Parts&... parts) {
    lines_.push_back(absl::StrCat(parts...));
    return absl::OkStatus();
  }
  std::string Name(ThreadId id) const {
    if (id == kNoId) return "";
    return std::string(tables_.strings[tables_.threads[id].name]);
  }
  static std::string At(std::optional<uint64_t> time) {
    return time ? absl::StrCat(" @", *time) : "";
  }

  const TraceTables& tables_;
  const EmitterRequirements requirements_;
  std::vector<std::string> lines_;
  StackId last_stack_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_RECORDING_EMITTER_H_
