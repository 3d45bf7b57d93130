// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_SMALL_TRACE_H_
#define PERF2X_TESTS_SUPPORT_SMALL_TRACE_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/model/code_image.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A trace made in memory: two threads of one program that calls a library, the
// kernel, and code without a name. The program is mapped at 0x400000 (build id
// "ab"), the library at 0x7f0000000000. Outputs are kept by name.
class SmallTrace : public ::testing::Test,
                   public FrameSource,
                   public Symbolizer,
                   public OutputFactory {
 protected:
  SmallTrace();

  // Frames by name, leaf first: "main", "sort" (inlined into "main" at
  // app.cc:7), "memcpy", "sys_read", "?" (code of the library without a name).
  // Every call makes a new stack.
  StackId Stack(const std::vector<std::string>& frames,
                AddressSpaceId space = 0);
  // Adds a frame `name`, for Stack(). In app_ it is in "main", and has kDeep
  // functions at kDeepAddress; elsewhere it has no symbol.
  static constexpr uint64_t kDeepAddress = 0x800;
  static constexpr size_t kDeep = 1000;
  void AddFrame(const std::string& name, DsoId dso, uint64_t address);
  ThreadId AddThread(int32_t pid, int32_t tid, absl::string_view process,
                     absl::string_view name);
  EventId AddEvent(absl::string_view name, absl::string_view unit = "count",
                   EventKind kind = EventKind::kSampled);

  // Creates the emitter with `options` in place of its defaults, and begins the
  // trace.
  absl::Status Begin(const EmitterInfo& info,
                     const std::map<std::string, std::string>& options = {});
  // Sets the budget of the emitter. To be called before Begin.
  Budget& Limit(const Budget::Rules& rules = Budget::kRules) {
    budget_ = &limited_.emplace(rules);
    return *limited_;
  }
  Emitter& emitter() { return *emitter_; }
  void Add(EventId event, ThreadId thread, StackId stack, uint64_t period = 1,
           std::optional<uint64_t> time = {});
  // Ends the trace; output() then has the results.
  absl::Status Finish();
  const std::string& output(const std::string& name = "") {
    return outputs_[name];
  }

  TraceInfo info_;
  TraceSummary summary_;
  std::vector<Advice> advice_;
  TraceTables tables_;
  DsoId app_, lib_, kernel_;
  std::map<std::string, std::string> outputs_;
  Diagnostics diagnostics_;              // the emitter's
  std::shared_ptr<CodeImage> app_code_;  // null: not found

 private:
  void AppendPlaces(StackId stack, FramePlaces* places) override;
  DsoId Locate(AddressSpaceId space, uint64_t address,
               uint64_t* frame_address) override;
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override;
  std::shared_ptr<CodeImage> OpenCode(const Dso& dso) override {
    return dso.name == "/opt/app" ? app_code_ : nullptr;
  }
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view name) override;

  std::map<std::string, FrameId> frames_;
  std::vector<std::vector<FrameId>> stacks_;
  std::map<std::string, std::string> options_;
  Pipeline pipeline_{2};
  std::optional<Budget> limited_;
  Budget* budget_ = &Budget::Unlimited();
  std::unique_ptr<Emitter> emitter_;
};

// Decompresses gzip; returns "" if `bytes` are not gzip.
std::string Gunzip(const std::string& bytes);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_SMALL_TRACE_H_
